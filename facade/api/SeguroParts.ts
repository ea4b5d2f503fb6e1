import { Result, Schema } from "effect"
import { InsuranceId } from "../../core/domain/Ids.ts"
import type { Insurance } from "../../core/domain/Insurance.ts"
import { type Extra, ExtraCode, type Plan, type Vehicle, VehicleType } from "../../core/domain/InsuranceOffer.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { Cedula, maskChassis, maskName, Phone, Plate } from "../../core/domain/Person.ts"
import { cleanText, described, pathId, readBy } from "./Fields.ts"
import { Pesos } from "./Output.ts"

/** The id of an insurance in a path. A malformed id gives 422 for an invalid parameter, not 404. Contract: 7. */
export const insuranceId = pathId(InsuranceId, "El seguro.", "invalido")

export const cedula = described(Cedula, {
  type: "string",
  pattern: "^\\d{11}$",
  description: "Cédula del propietario, sin guiones.",
  examples: ["00112345678"]
})

export const telefono = described(Phone, {
  type: "string",
  pattern: "^8[024]9\\d{7}$",
  description: "Teléfono del propietario, que recibe el código por SMS.",
  examples: ["8095551234"]
})

/** The plate of the vehicle. Lower-case letters are accepted and mean the same plate. */
export const placa = readBy<Plate, string>(
  Plate,
  (raw) =>
    typeof raw === "string"
      ? Result.succeed(raw.replace(/^[a-z]/, (letter) => letter.toUpperCase()))
      : Result.fail("invalido"),
  {
    type: "string",
    pattern: "^[A-Za-z]\\d{5,7}$",
    description: "Placa del vehículo: una letra y de cinco a siete dígitos.",
    examples: ["A123458"]
  }
)

/** The one-time code that the owner received by SMS. */
export const codigo = described(
  Schema.String.check(Schema.makeFilter((text) => /^\d{6}$/.test(text), { message: "invalido" })),
  { type: "string", pattern: "^\\d{6}$", description: "Los seis dígitos del SMS.", examples: ["123456"] }
)

const offeredText = (description: string, example: string) =>
  described(cleanText(description), { type: "string", description, examples: [example] })

export const version = offeredText("Una de las versiones que devolvió la verificación del código.", "EX 1.5 T")

export const cdTipoPlan = offeredText("Uno de los planes de esa versión.", "LEY-12")

const optionalExtra = (description: string) =>
  Schema.optionalKey(described(Schema.Boolean, { type: "boolean", description }))

/** The extras of a quote. An absent field means that the extra is not wanted. */
export const extraFields = {
  incluye_grua: optionalExtra("Agrega el servicio de grúa; no aplica a motocicletas."),
  incluye_casa_conductor: optionalExtra(
    "Agrega la Casa del Conductor: alojamiento y asistencia al conductor después de un accidente."
  )
}

interface ExtraFields {
  readonly incluye_grua?: boolean
  readonly incluye_casa_conductor?: boolean
}

/** The extras that a request asks for. */
export const extrasIn = ({ incluye_casa_conductor, incluye_grua }: ExtraFields): ReadonlyArray<ExtraCode> => [
  ...(incluye_grua === true ? (["grua"] as const) : []),
  ...(incluye_casa_conductor === true ? (["casa_conductor"] as const) : [])
]

/** A vehicle in the API, with a masked chassis. Contract: 2.7. */
const VehicleView = Schema.Struct({
  marca: Schema.String,
  modelo: Schema.String,
  anio: Schema.Int,
  tipo: VehicleType,
  chasis: Schema.String.annotate({ description: "Enmascarado.", examples: ["***4521"] })
}).annotate({ identifier: "Vehiculo" })

const vehicleView = (vehicle: Vehicle): typeof VehicleView.Type => ({
  marca: vehicle.brand,
  modelo: vehicle.model,
  anio: vehicle.year,
  tipo: vehicle.type,
  chasis: maskChassis(vehicle.chassis)
})

/** The insured person and vehicle. The person's data is masked. */
export const insuredFields = {
  titular: Schema.String.annotate({ description: "Enmascarado.", examples: ["J*** P***"] }),
  placa: Schema.String,
  vehiculo: VehicleView
}

export const insuredView = ({ insured, plate }: Insurance) => ({
  titular: maskName(insured.holder),
  placa: plate,
  vehiculo: vehicleView(insured.vehicle)
})

/** A chosen plan in the API. Contract: 2.7. */
export const PlanView = Schema.Struct({
  cd_tipo_plan: Schema.String,
  nombre: Schema.String,
  cobertura: Schema.String,
  vigencia_meses: Schema.Int,
  precio: Pesos
}).annotate({ identifier: "Plan" })

export const planView = (plan: Plan): typeof PlanView.Type => ({
  cd_tipo_plan: plan.code,
  nombre: plan.name,
  cobertura: plan.coverage,
  vigencia_meses: plan.months,
  precio: toPesos(plan.price)
})

/** An extra in the API. Contract: 2.7 and 4.6, step 4. */
export const ExtraView = Schema.Struct({ codigo: ExtraCode, nombre: Schema.String, precio: Pesos }).annotate({
  identifier: "Opcional"
})

export const extraView = (extra: Extra): typeof ExtraView.Type => ({
  codigo: extra.code,
  nombre: extra.name,
  precio: toPesos(extra.price)
})

/** The insured person and vehicle that the examples use. */
export const exampleInsured = {
  titular: "A*** N***",
  placa: "A123458",
  vehiculo: { marca: "Honda", modelo: "Civic", anio: 2011, tipo: "automovil", chasis: "***3458" }
}

/** The plan that the examples use. */
export const examplePlan = {
  cd_tipo_plan: "LEY-12",
  nombre: "Ley, un año",
  cobertura: "Lesiones y daños a terceros, lo que la ley exige, por un año.",
  vigencia_meses: 12,
  precio: 5_950.5
}

/** The extra that the examples use. */
export const exampleTow = { codigo: "grua", nombre: "Servicio de grúa", precio: 850 }

/** The price of the example plan with the example extra. */
export const exampleTotal = 6_800.5
