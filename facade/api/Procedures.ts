import { categorias, paquetes, servicios } from "./Catalogo.ts"
import { listarCierres, verCierre } from "./Cierres.ts"
import { crearConsulta } from "./Consultas.ts"
import { saldo, verCuenta } from "./Cuenta.ts"
import * as entregas from "./Entregas.ts"
import { listarEventos } from "./Eventos.ts"
import { listarMovimientos } from "./Movimientos.ts"
import type { Procedure, RestMethod } from "./Procedure.ts"
import { anular, crearRecarga } from "./Recargas.ts"
import { disponible, iniciar, reenviar, verificar } from "./SegurosInicio.ts"
import { cotizar, elegirPlan, planes } from "./SegurosPlan.ts"
import { documento, verSeguro } from "./SegurosPoliza.ts"
import { estado, info } from "./Sistema.ts"
import { listarTransacciones, recibo, verTransaccion } from "./Transacciones.ts"
import * as webhooks from "./Webhooks.ts"

/** All procedures of the service, by resource. REST, tRPC, the OpenAPI document and the client are made from them. */
export const procedures = {
  sistema: { estado, info },
  cuenta: { ver: verCuenta, saldo },
  catalogo: { servicios, paquetes, categorias },
  consultas: { crear: crearConsulta },
  /** The steps of selling a vehicle's insurance. The sale itself is `recargas.crear`. Contract: 4.6. */
  seguros: { disponible, iniciar, reenviar, verificar, planes, elegirPlan, cotizar, ver: verSeguro, documento },
  recargas: { crear: crearRecarga },
  transacciones: { listar: listarTransacciones, ver: verTransaccion, recibo, anular },
  movimientos: { listar: listarMovimientos },
  cierres: { listar: listarCierres, ver: verCierre },
  eventos: { listar: listarEventos },
  webhooks: {
    crear: webhooks.crear,
    listar: webhooks.listar,
    ver: webhooks.ver,
    cambiar: webhooks.cambiar,
    borrar: webhooks.borrar,
    rotarSecreto: webhooks.rotarSecreto,
    probar: entregas.probar,
    entregas: entregas.entregas,
    reenviar: entregas.reenviar
  }
}

/** The HTTP method that calls procedures of each type. For a mutation, REST may use another method. */
export const methods = { query: "GET", mutation: "POST" } as const

export type Method = (typeof methods)[Procedure["type"]]

/** A procedure as a REST endpoint. */
export interface Endpoint {
  /** The procedure's tRPC name, for example `recargas.crear`. */
  readonly name: string
  readonly procedure: Procedure
  readonly method: Method | RestMethod
  /** The path of the endpoint and its aliases. */
  readonly paths: ReadonlyArray<`/${string}`>
}

/** The endpoints of REST, one for each procedure. */
export const endpoints: ReadonlyArray<Endpoint> = Object.entries<Readonly<Record<string, Procedure>>>(
  procedures
).flatMap(([resource, each]) =>
  Object.entries(each).map(([action, procedure]) => ({
    name: `${resource}.${action}`,
    procedure,
    method: procedure.meta.method ?? methods[procedure.type],
    paths: [procedure.meta.path, ...(procedure.meta.aliases ?? [])]
  }))
)

/** The operation id of an endpoint: `recargasCrear` for `recargas.crear`. */
export const operationIdOf = ({ name }: Pick<Endpoint, "name">): string =>
  name.replace(/\.(.)/g, (_, letter: string) => letter.toUpperCase())

/** The operation id as a part of the name of a schema: `RecargasCrear`. */
export const schemaPartOf = (endpoint: Pick<Endpoint, "name">): string =>
  operationIdOf(endpoint).replace(/^./, (first) => first.toUpperCase())
