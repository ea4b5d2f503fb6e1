import { Result, Schema } from "effect"
import { InsuranceId } from "../../core/domain/Ids.ts"
import type { ExtraCode } from "../../core/domain/InsuranceOffer.ts"
import { Cedula, Phone, Plate } from "../../core/domain/Person.ts"
import { cleanText, described, pathId, readBy } from "./Fields.ts"

/** An insurance's id in a path: a malformed one is a wrong parameter. Contract: 7. */
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

/** Plates are written in either case, and are the same plate. */
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

/** The code that the owner read in the message. */
export const codigo = described(
  Schema.String.check(Schema.makeFilter((text) => /^\d{6}$/.test(text), { message: "invalido" })),
  { type: "string", pattern: "^\\d{6}$", description: "Los seis dígitos del SMS.", examples: ["123456"] }
)

const offered = (description: string, example: string) =>
  described(cleanText(description), { type: "string", description, examples: [example] })

export const version = offered("Una de las versiones que devolvió la verificación del código.", "EX 1.5 T")

export const cdTipoPlan = offered("Uno de los planes de esa versión.", "LEY-12")

const wish = (description: string) => Schema.optionalKey(described(Schema.Boolean, { type: "boolean", description }))

/** What may be added to a plan; absent is as good as no. */
export const wishes = {
  incluye_grua: wish("Agrega el servicio de grúa; no aplica a motocicletas."),
  incluye_casa_conductor: wish(
    "Agrega la Casa del Conductor: alojamiento y asistencia al conductor después de un accidente."
  )
}

interface Wishes {
  readonly incluye_grua?: boolean
  readonly incluye_casa_conductor?: boolean
}

export const extrasWanted = ({ incluye_casa_conductor, incluye_grua }: Wishes): ReadonlyArray<ExtraCode> => [
  ...(incluye_grua === true ? (["grua"] as const) : []),
  ...(incluye_casa_conductor === true ? (["casa_conductor"] as const) : [])
]
