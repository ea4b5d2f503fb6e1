import type { AnyProcedure } from "@trpc/server"
import { catalogo } from "./Catalogo.ts"
import { consultas } from "./Consultas.ts"
import { cuenta } from "./Cuenta.ts"
import { movimientos } from "./Movimientos.ts"
import { router } from "./Procedure.ts"
import { recargas } from "./Recargas.ts"
import { seguros } from "./Seguros.ts"
import { sistema } from "./Sistema.ts"
import { transacciones } from "./Transacciones.ts"

/** Every procedure of the service. REST, the OpenAPI document and tRPC's clients all follow from it. */
export const appRouter = router({
  sistema,
  cuenta,
  catalogo,
  consultas,
  seguros,
  recargas,
  transacciones,
  movimientos
})
export type AppRouter = typeof appRouter

/** The procedures by path. At run time they stand flat so; their type keeps the router's tree. */
export const procedures = appRouter._def.procedures as unknown as Readonly<Record<string, AnyProcedure>>
