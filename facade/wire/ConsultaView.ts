import { Schema } from "effect"
import { type Consulta, isDebtFree } from "../../core/domain/Lookup.ts"
import { toPesos } from "../../core/domain/Money.ts"
import type { Offered } from "../../core/domain/Offered.ts"
import { LookupFlow } from "../../core/domain/Service.ts"
import { Pesos } from "./Views.ts"

const OptionView = Schema.Struct({
  opcion_id: Schema.String,
  nombre: Schema.String,
  precio: Pesos,
  vigencia: Schema.NullOr(Schema.String),
  datos: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Opcion" })

/** Contract: 2.6. */
export const ConsultaView = Schema.Struct({
  flujo: LookupFlow,
  titular: Schema.NullOr(Schema.String),
  requiere_seleccion: Schema.Boolean,
  opciones: Schema.Array(OptionView),
  sin_deuda: Schema.Boolean,
  origen_datos: Schema.Literals(["proveedor_real", "simulado"])
}).annotate({ identifier: "Consulta" })

const optionView = (option: Offered): typeof OptionView.Type => ({
  opcion_id: option.id,
  nombre: option.name,
  precio: toPesos(option.price),
  vigencia: option.validity,
  datos: option.data
})

export const consultaView = (consulta: Consulta): typeof ConsultaView.Type => ({
  flujo: consulta.flow,
  titular: consulta.holder,
  requiere_seleccion: consulta.options.length > 0,
  opciones: consulta.options.map(optionView),
  sin_deuda: isDebtFree(consulta),
  origen_datos: consulta.simulated ? "simulado" : "proveedor_real"
})
