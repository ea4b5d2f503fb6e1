import { Effect, Schema } from "effect"
import { resendCode, verifyCode } from "../../core/workflows/InsuranceSteps.ts"
import { insuranceOnSale, startInsurance } from "../../core/workflows/StartInsurance.ts"
import { serviceId, terminalId } from "../wire/Fields.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { cedula, codigo, insuranceId, placa, telefono } from "../wire/SeguroFields.ts"
import {
  CodigoView,
  codigoView,
  DisponibleView,
  disponibleView,
  IniciadoView,
  iniciadoView,
  VersionesView,
  versionesView
} from "../wire/SeguroInicioView.ts"
import { allowed, answer } from "./Procedure.ts"
import { insured } from "./SegurosExample.ts"

/** Contract: 4.6, step 0. */
export const disponible = allowed("recharges.create")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/seguros",
      summary: "Paso 0: si la empresa puede vender seguros, y cuáles",
      tags: ["Seguros"]
    },
    alias: ["/v1/insurance"],
    message: "Disponibilidad de seguros.",
    example: {
      data: {
        disponible: true,
        servicios: [{ service_id: 6, nombre: "Seguro Obligatorio de Vehículos" }],
        motivo: null
      }
    }
  })
  .input(input({}))
  .output(output(DisponibleView))
  .query(answer(({ ctx }) => Effect.map(insuranceOnSale(ctx.session), disponibleView)))

/** Contract: 4.6, step 1. */
export const iniciar = allowed("recharges.create")
  .meta({
    openapi: {
      method: "POST",
      path: "/v1/seguros",
      summary: "Paso 1: busca el vehículo y envía un código al propietario",
      tags: ["Seguros"]
    },
    alias: ["/v1/insurance"],
    status: 201,
    message: "Seguro iniciado.",
    errors: ["INVALID_PRODUCT", "VEHICULO_NO_SOPORTADO", "SEGURO_RECHAZADO", "SEGUROS_NO_DISPONIBLE"],
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
        ...insured,
        tipo_vehiculo: "automovil",
        tiene_renovacion: false,
        telefono: "809***1234",
        otp_enviado: true,
        otp_expira_en: 600,
        mensaje: "Enviamos al propietario un código de 6 dígitos por SMS; pídaselo."
      }
    }
  })
  .input(input({ service_id: serviceId, cedula, telefono, placa, terminal_id: Schema.optionalKey(terminalId) }))
  .output(output(IniciadoView))
  .mutation(
    answer(({ ctx, input: wanted }) =>
      Effect.map(
        startInsurance(ctx.session, {
          serviceId: wanted.service_id,
          cedula: wanted.cedula,
          phone: wanted.telefono,
          plate: wanted.placa,
          terminalId: wanted.terminal_id ?? null
        }),
        ({ codeSent, insurance }) => iniciadoView(insurance, codeSent)
      )
    )
  )

/** Contract: 4.6, step 1b. */
export const reenviar = allowed("recharges.create")
  .meta({
    openapi: {
      method: "POST",
      path: "/v1/seguros/{id}/otp",
      summary: "Paso 1b: envía otro código; el anterior deja de valer",
      tags: ["Seguros"]
    },
    alias: ["/v1/insurance/{id}/otp"],
    message: "Código reenviado.",
    errors: ["NOT_FOUND", "OTP_BLOQUEADO", "SEGURO_PASO_INVALIDO"],
    example: { data: { otp_enviado: true, otp_expira_en: 600 } }
  })
  .input(input({ id: insuranceId }))
  .output(output(CodigoView))
  .mutation(answer(({ ctx, input: { id } }) => Effect.map(resendCode(ctx.session, id), codigoView)))

/** Contract: 4.6, step 2. */
export const verificar = allowed("recharges.create")
  .meta({
    openapi: {
      method: "POST",
      path: "/v1/seguros/{id}/otp/verificar",
      summary: "Paso 2: comprueba el código del propietario",
      tags: ["Seguros"]
    },
    alias: ["/v1/insurance/{id}/otp/verify"],
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
  })
  .input(input({ id: insuranceId, codigo }))
  .output(output(VersionesView))
  .mutation(
    answer(({ ctx, input: wanted }) => Effect.map(verifyCode(ctx.session, wanted.id, wanted.codigo), versionesView))
  )
