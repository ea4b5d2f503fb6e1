import { Effect, Schema } from "effect"
import { isDebtFree, type LookupResult, type OfferedOption } from "../../core/domain/Lookup.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { LookupFlow } from "../../core/domain/Service.ts"
import { lookUp } from "../../core/workflows/LookUp.ts"
import { identifier, serviceId } from "./Fields.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { Pesos } from "./Output.ts"
import { mutation } from "./Procedure.ts"

const OptionView = Schema.Struct({
  opcion_id: Schema.String,
  nombre: Schema.String,
  precio: Pesos,
  vigencia: Schema.NullOr(Schema.String),
  datos: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Opcion" })

/** The result of a lookup (`consulta`) in the API. Contract: 2.6. */
const ConsultaView = Schema.Struct({
  flujo: LookupFlow,
  titular: Schema.NullOr(Schema.String),
  requiere_seleccion: Schema.Boolean,
  opciones: Schema.Array(OptionView),
  sin_deuda: Schema.Boolean,
  origen_datos: Schema.Literals(["proveedor_real", "simulado"])
}).annotate({ identifier: "Consulta" })

const optionView = (option: OfferedOption): typeof OptionView.Type => ({
  opcion_id: option.id,
  nombre: option.name,
  precio: toPesos(option.price),
  vigencia: option.validity,
  datos: option.data
})

const consultaView = (consulta: LookupResult): typeof ConsultaView.Type => ({
  flujo: consulta.flow,
  titular: consulta.holder,
  requiere_seleccion: consulta.options.length > 0,
  opciones: consulta.options.map(optionView),
  sin_deuda: isDebtFree(consulta),
  origen_datos: consulta.simulated ? "simulado" : "proveedor_real"
})

/** Looks up the packages, the bills or the holder behind a customer's identifier. Contract: 4.4. */
export const crearConsulta = mutation({
  gate: requires("consultas.create"),
  input: input({ service_id: serviceId, identifier }),
  output: ConsultaView,
  meta: {
    path: "/v1/consultas",
    summary: "Los paquetes de un número, las facturas de un contrato o el titular de una cuenta",
    tag: "Ventas",
    message: "Resultado de la consulta.",
    errors: ["NOT_FOUND", "INVALID_PRODUCT", "SERVICE_TIMEOUT", "NOT_IMPLEMENTED"],
    example: {
      request: { service_id: 3, identifier: "8095551234" },
      data: {
        flujo: "paquetes",
        titular: null,
        requiere_seleccion: true,
        opciones: [
          {
            opcion_id: "paq-5d1c9c0e4f1b7a36e2d804af",
            nombre: "Semana 3 GB",
            precio: 150,
            vigencia: "7 días",
            datos: "3 GB"
          }
        ],
        sin_deuda: false,
        origen_datos: "simulado"
      }
    }
  },
  handle: ({ input, session }) =>
    Effect.map(lookUp(session, { serviceId: input.service_id, identifier: input.identifier }), consultaView)
})
