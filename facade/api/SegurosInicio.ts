import { Duration, Effect, Schema } from "effect"
import type { Insurance } from "../../core/domain/Insurance.ts"
import { PhoneLimited } from "../../core/domain/InsuranceErrors.ts"
import { VehicleType, type Version } from "../../core/domain/InsuranceOffer.ts"
import { codeLife } from "../../core/domain/OneTimeCode.ts"
import { maskPhone } from "../../core/domain/Person.ts"
import {
  type InsuranceOnSale,
  insuranceOnSale,
  resendCode,
  startInsurance,
  verifyCode
} from "../../core/workflows/InsuranceSteps.ts"
import { serviceId, terminalId } from "./Fields.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { mutation, query } from "./Procedure.ts"
import {
  cedula,
  codigo,
  exampleInsured,
  insuranceId,
  insuredFields,
  insuredView,
  placa,
  telefono
} from "./SeguroParts.ts"

/** The insurance that a company may sell. Contract: 4.6, step 0. */
const DisponibleView = Schema.Struct({
  disponible: Schema.Boolean,
  servicios: Schema.Array(
    Schema.Struct({ service_id: Schema.Int, nombre: Schema.String }).annotate({ identifier: "ServicioDeSeguro" })
  ),
  motivo: Schema.NullOr(Schema.Literal("no_habilitado"))
}).annotate({ identifier: "SeguroDisponible" })

const disponibleView = ({ served, services }: InsuranceOnSale): typeof DisponibleView.Type => ({
  disponible: served && services.length > 0,
  servicios: services.map(({ id, name }) => ({ service_id: id, nombre: name })),
  motivo: services.length > 0 ? null : "no_habilitado"
})

/** Step 0: returns whether the company may sell insurance, and which insurance services it may sell. Contract: 4.6. */
export const disponible = query({
  gate: requires("recharges.create"),
  input: input({}),
  output: DisponibleView,
  meta: {
    path: "/v1/seguros",
    aliases: ["/v1/insurance"],
    summary: "Paso 0: si la empresa puede vender seguros, y cuáles",
    tag: "Seguros",
    message: "Disponibilidad de seguros.",
    example: {
      data: {
        disponible: true,
        servicios: [{ service_id: 6, nombre: "Seguro Obligatorio de Vehículos" }],
        motivo: null
      }
    }
  },
  handle: ({ session }) => Effect.map(insuranceOnSale(session), disponibleView)
})

/** The result of sending a code. Contract: 4.6, step 1b. */
const CodigoView = Schema.Struct({
  otp_enviado: Schema.Boolean.annotate({
    description: "false: el SMS todavía no se pudo enviar, y el servicio sigue intentándolo."
  }),
  otp_expira_en: Schema.Int.annotate({ description: "Segundos." })
}).annotate({ identifier: "SeguroCodigo" })

const codigoView = (sent: boolean): typeof CodigoView.Type => ({
  otp_enviado: sent,
  otp_expira_en: Duration.toSeconds(codeLife)
})

/** A started insurance. Contract: 4.6, step 1. */
const IniciadoView = Schema.Struct({
  seguro_id: Schema.Int,
  ...insuredFields,
  tipo_vehiculo: VehicleType,
  tiene_renovacion: Schema.Boolean,
  telefono: Schema.String.annotate({ description: "Enmascarado.", examples: ["809***1234"] }),
  ...CodigoView.fields,
  mensaje: Schema.String
}).annotate({ identifier: "SeguroIniciado" })

/** The message to the seller while the vehicle owner waits for the code. */
const codeMessage = (sent: boolean): string =>
  sent
    ? "Enviamos al propietario un código de 6 dígitos por SMS; pídaselo."
    : "El código no pudo enviarse todavía; seguimos intentándolo, y puede pedir otro."

const iniciadoView = (insurance: Insurance, sent: boolean): typeof IniciadoView.Type => ({
  seguro_id: insurance.id,
  ...insuredView(insurance),
  tipo_vehiculo: insurance.insured.vehicle.type,
  tiene_renovacion: insurance.renewal,
  telefono: maskPhone(insurance.insured.phone),
  ...codigoView(sent),
  mensaje: codeMessage(sent)
})

/** The documented error of the steps that send a code. */
const phoneLimited = new PhoneLimited({ period: "hora", messages_max: 5, retryAfter_s: 1_740 })

/** Step 1: finds the vehicle and sends a one-time code to its owner. Contract: 4.6. */
export const iniciar = mutation({
  gate: requires("recharges.create"),
  input: input({ service_id: serviceId, cedula, telefono, placa, terminal_id: Schema.optionalKey(terminalId) }),
  output: IniciadoView,
  meta: {
    path: "/v1/seguros",
    aliases: ["/v1/insurance"],
    summary: "Paso 1: busca el vehículo y envía un código al propietario",
    tag: "Seguros",
    status: 201,
    message: "Seguro iniciado.",
    errors: ["INVALID_PRODUCT", "VEHICULO_NO_SOPORTADO", "SEGURO_RECHAZADO", "SEGUROS_NO_DISPONIBLE"],
    causes: [phoneLimited],
    example: {
      request: {
        service_id: 6,
        cedula: "00112345678",
        telefono: "8095551234",
        placa: "A123458",
        terminal_id: "caja-1"
      },
      data: {
        seguro_id: 1,
        ...exampleInsured,
        tipo_vehiculo: "automovil",
        tiene_renovacion: false,
        telefono: "809***1234",
        otp_enviado: true,
        otp_expira_en: 600,
        mensaje: "Enviamos al propietario un código de 6 dígitos por SMS; pídaselo."
      }
    }
  },
  handle: ({ input, session }) =>
    Effect.map(
      startInsurance(session, {
        serviceId: input.service_id,
        cedula: input.cedula,
        phone: input.telefono,
        plate: input.placa,
        terminalId: input.terminal_id ?? null
      }),
      ({ codeSent, insurance }) => iniciadoView(insurance, codeSent)
    )
})

/** Step 1b: sends another code; the previous one is no longer valid. Contract: 4.6. */
export const reenviar = mutation({
  gate: requires("recharges.create"),
  input: input({ id: insuranceId }),
  output: CodigoView,
  meta: {
    path: "/v1/seguros/{id}/otp",
    aliases: ["/v1/insurance/{id}/otp"],
    summary: "Paso 1b: envía otro código; el anterior deja de ser válido",
    tag: "Seguros",
    message: "Código reenviado.",
    errors: ["NOT_FOUND", "OTP_BLOQUEADO", "SEGURO_PASO_INVALIDO"],
    causes: [phoneLimited],
    example: { data: { otp_enviado: true, otp_expira_en: 600 } }
  },
  handle: ({ input: { id }, session }) => Effect.map(resendCode(session, id), codigoView)
})

const VersionView = Schema.Struct({ id: Schema.String, nombre: Schema.String, sugerida: Schema.Boolean }).annotate({
  identifier: "Version"
})

const versionView = (version: Version): typeof VersionView.Type => ({
  id: version.id,
  nombre: version.name,
  sugerida: version.suggested
})

/** The versions of the vehicle, after the code was verified. Contract: 4.6, step 2. */
const VersionesView = Schema.Struct({
  seguro_id: Schema.Int,
  marca: Schema.String,
  modelo: Schema.String,
  version_unica: Schema.Boolean,
  sugerida: Schema.NullOr(Schema.String),
  versiones: Schema.Array(VersionView)
}).annotate({ identifier: "SeguroVersiones" })

const versionesView = ({ id, insured, versions }: Insurance): typeof VersionesView.Type => ({
  seguro_id: id,
  marca: insured.vehicle.brand,
  modelo: insured.vehicle.model,
  version_unica: versions.length === 1,
  sugerida: versions.find(({ suggested }) => suggested)?.id ?? null,
  versiones: versions.map(versionView)
})

/** Step 2: verifies the owner's code. Contract: 4.6. */
export const verificar = mutation({
  gate: requires("recharges.create"),
  input: input({ id: insuranceId, codigo }),
  output: VersionesView,
  meta: {
    path: "/v1/seguros/{id}/otp/verificar",
    aliases: ["/v1/insurance/{id}/otp/verify"],
    summary: "Paso 2: comprueba el código del propietario",
    tag: "Seguros",
    message: "Código verificado.",
    errors: ["NOT_FOUND", "OTP_INCORRECTO", "OTP_BLOQUEADO", "SEGURO_PASO_INVALIDO"],
    example: {
      request: { codigo: "123456" },
      data: {
        seguro_id: 1,
        marca: "Honda",
        modelo: "Civic",
        version_unica: false,
        sugerida: "EX 1.5 T",
        versiones: [
          { id: "EX 1.5 T", nombre: "Civic EX 1.5 T", sugerida: true },
          { id: "LX 2.0", nombre: "Civic LX 2.0", sugerida: false }
        ]
      }
    }
  },
  handle: ({ input, session }) => Effect.map(verifyCode(session, input.id, input.codigo), versionesView)
})
