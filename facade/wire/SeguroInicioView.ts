import { Duration, Schema } from "effect"
import type { Insurance } from "../../core/domain/Insurance.ts"
import { VehicleType, type Version } from "../../core/domain/InsuranceOffer.ts"
import { codeLife } from "../../core/domain/OneTimeCode.ts"
import { maskPhone } from "../../core/domain/Person.ts"
import type { InsuranceOnSale } from "../../core/workflows/StartInsurance.ts"
import { insuredFields, insuredView } from "./SeguroParts.ts"

/** Step 0. Contract: 4.6. */
export const DisponibleView = Schema.Struct({
  disponible: Schema.Boolean,
  servicios: Schema.Array(Schema.Struct({ service_id: Schema.Int, nombre: Schema.String })),
  motivo: Schema.NullOr(Schema.Literal("no_habilitado"))
}).annotate({ identifier: "SeguroDisponible" })

export const disponibleView = ({ served, services }: InsuranceOnSale): typeof DisponibleView.Type => ({
  disponible: served && services.length > 0,
  servicios: services.map(({ id, name }) => ({ service_id: id, nombre: name })),
  motivo: services.length > 0 ? null : "no_habilitado"
})

/** Step 1b. Contract: 4.6. */
export const CodigoView = Schema.Struct({
  otp_enviado: Schema.Boolean.annotate({ description: "false: no pudo enviarse todavía, y se sigue intentando." }),
  otp_expira_en: Schema.Int.annotate({ description: "Segundos." })
}).annotate({ identifier: "SeguroCodigo" })

export const codigoView = (sent: boolean): typeof CodigoView.Type => ({
  otp_enviado: sent,
  otp_expira_en: Duration.toSeconds(codeLife)
})

/** Step 1. Contract: 4.6. */
export const IniciadoView = Schema.Struct({
  seguro_id: Schema.Int,
  ...insuredFields,
  tipo_vehiculo: VehicleType,
  tiene_renovacion: Schema.Boolean,
  telefono: Schema.String.annotate({ description: "Enmascarado.", examples: ["809***1234"] }),
  ...CodigoView.fields,
  mensaje: Schema.String
}).annotate({ identifier: "SeguroIniciado" })

/** What the seller reads while the owner waits for the code. */
const messageOf = (sent: boolean): string =>
  sent
    ? "Enviamos al propietario un código de 6 dígitos por SMS; pídaselo."
    : "El código no pudo enviarse todavía; seguimos intentándolo, y puede pedir otro."

export const iniciadoView = (insurance: Insurance, sent: boolean): typeof IniciadoView.Type => ({
  seguro_id: insurance.id,
  ...insuredView(insurance),
  tipo_vehiculo: insurance.insured.vehicle.type,
  tiene_renovacion: insurance.renewal,
  telefono: maskPhone(insurance.insured.phone),
  ...codigoView(sent),
  mensaje: messageOf(sent)
})

const VersionView = Schema.Struct({ id: Schema.String, nombre: Schema.String, sugerida: Schema.Boolean }).annotate({
  identifier: "Version"
})

const versionView = (version: Version): typeof VersionView.Type => ({
  id: version.id,
  nombre: version.name,
  sugerida: version.suggested
})

/** Step 2. Contract: 4.6. */
export const VersionesView = Schema.Struct({
  seguro_id: Schema.Int,
  marca: Schema.String,
  modelo: Schema.String,
  version_unica: Schema.Boolean,
  sugerida: Schema.NullOr(Schema.String),
  versiones: Schema.Array(VersionView)
}).annotate({ identifier: "SeguroVersiones" })

export const versionesView = ({ id, insured, versions }: Insurance): typeof VersionesView.Type => ({
  seguro_id: id,
  marca: insured.vehicle.brand,
  modelo: insured.vehicle.model,
  version_unica: versions.length === 1,
  sugerida: versions.find(({ suggested }) => suggested)?.id ?? null,
  versiones: versions.map(versionView)
})
