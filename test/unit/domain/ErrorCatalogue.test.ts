import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc"
import { Schema } from "effect"
import { internalError, type PublicError, toPublic } from "../../../core/domain/ErrorCatalogue.ts"
import { codes, errorDetails } from "../../../core/domain/ErrorCodes.ts"
import * as Errors from "../../../core/domain/Errors.ts"
import { InsuranceId, TransactionId } from "../../../core/domain/Ids.ts"
import * as InsuranceErrors from "../../../core/domain/InsuranceErrors.ts"
import { InsuranceState, StepOutOfOrder } from "../../../core/domain/InsuranceState.ts"
import { trpcError } from "../../../facade/api/TrpcRouter.ts"
import { errorTexts } from "../../../facade/docs/ErrorTexts.ts"
import { errorCauses, insurersWords } from "../support/ErrorCauses.ts"

/** Section 7 of the contract, plus the code for 501, which the contract leaves open. */
const contract = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  VALIDATION_ERROR: 422,
  INSUFFICIENT_BALANCE: 422,
  LIMIT_EXCEEDED: 422,
  IDEMPOTENT_REQUEST_IN_PROGRESS: 409,
  IDEMPOTENCY_CONFLICT: 409,
  RATE_LIMIT_EXCEEDED: 429,
  TRANSACTION_PENDING: 202,
  INVALID_PHONE: 422,
  INVALID_PRODUCT: 422,
  INVALID_AMOUNT: 422,
  DUPLICATE_TRANSACTION: 422,
  TRANSACTION_REJECTED: 422,
  SERVICE_TIMEOUT: 422,
  SERVICE_UNAVAILABLE: 422,
  DOCUMENTO_NO_DISPONIBLE: 503,
  REVERSAL_NOT_SUPPORTED: 422,
  INTERNAL_ERROR: 500,
  SEGURO_NO_EMITIDO: 422,
  COTIZACION_VENCIDA: 409,
  SEGURO_YA_VENDIDO: 409,
  SEGURO_SIN_COTIZAR: 409,
  POLIZA_ACTIVA: 422,
  POLIZA_NO_EMITIDA: 409,
  VEHICULO_NO_SOPORTADO: 422,
  SEGURO_RECHAZADO: 422,
  OTP_INCORRECTO: 422,
  OTP_BLOQUEADO: 409,
  SEGURO_PASO_INVALIDO: 409,
  SEGUROS_NO_DISPONIBLE: 503,
  NOT_IMPLEMENTED: 501
}

describe("the error catalogue", () => {
  it("has exactly the codes and statuses of the contract", () => {
    const table = Object.fromEntries(Object.entries(codes).map(([code, { status }]) => [code, status]))
    expect(table).toEqual(contract)
  })

  it.each(Object.entries(codes))("has a human-readable message for the code %s", (_, { message }) => {
    expect(message).toMatch(/^\p{Lu}.{8,}\.$/u)
  })
})

/** Messages of errors that do not use the message of their code, because the message of the code is about a sale. */
const otherWords: Readonly<Record<string, string>> = {
  ReversalPending: "Resultado de la anulación desconocido; consulte la transacción y no repita la anulación.",
  ReversalDenied: "El proveedor rechazó la anulación; la venta sigue en pie.",
  WrongMethod: "recargas.crear se llama con POST, no con GET.",
  InsuranceRejected: insurersWords,
  PhoneLimited: "Este teléfono ya recibió el máximo de mensajes; espere y repita.",
  PolicyActive: "El vehículo ya tiene una póliza vigente; puede renovarla a partir del 2026-03-04."
}

describe("an error as its caller sees it", () => {
  it.each(errorCauses.map(([error, status, code, details]) => [error._tag, status, code, details, error] as const))(
    "(%s) has the status %d, the code %s and the details %j",
    (_, status, code, details, error) => {
      const heard: PublicError = toPublic(error)
      const message = otherWords[error._tag] ?? codes[code as keyof typeof codes].message
      expect(heard).toEqual({ status, code, details, message })
      // Details are an object or absent, never null.
      expect(JSON.parse(JSON.stringify(heard)).details).not.toBeNull()
    }
  )

  it.each(errorCauses.map(([error, , code, details]) => [error._tag, code, details] as const))(
    "gives %s, with the code %s, exactly the details that the schema of the code declares",
    (_, code, details) => {
      const schema: Schema.Codec<unknown> | undefined = errorDetails[code as keyof typeof errorDetails]
      if (schema === undefined) return expect(details).toBeUndefined()
      expect(Schema.decodeSync(schema, { onExcessProperty: "error" })(details)).toEqual(details)
    }
  )

  it("has a tRPC code for every status", () => {
    for (const [error] of errorCauses) expect(Object.keys(TRPC_ERROR_CODES_BY_KEY)).toContain(trpcError(error).code)
  })

  it("tells the caller to start again after a failed sale of insurance", () => {
    const sold = (state: InsuranceState) =>
      toPublic(
        new InsuranceErrors.AlreadySold({
          insuranceId: InsuranceId.make(9),
          state,
          transactionId: TransactionId.make(41)
        })
      ).message
    expect(sold("fallida")).toBe("La venta de este seguro falló y quedó cerrada; empiece de nuevo con la placa.")
    for (const state of ["cobrando", "emitiendo", "emitida"] as const) {
      expect(sold(state)).toBe(codes.SEGURO_YA_VENDIDO.message)
    }
  })

  it("is 500 INTERNAL_ERROR without details when the service fails", () => {
    expect(internalError).toEqual({ code: "INTERNAL_ERROR", status: 500, message: codes.INTERNAL_ERROR.message })
  })

  it("is tested here for every error class", () => {
    const tried = new Set(errorCauses.map(([error]) => error._tag as string))
    const classes = Object.entries({ ...Errors, ...InsuranceErrors, StepOutOfOrder }).filter(
      ([, value]) => "prototype" in value && value.prototype instanceof Error
    )
    expect([...tried].sort()).toEqual(classes.map(([name]) => name).sort())
  })
})

const contractPage = readFileSync(new URL("../../../docs/contract.md", import.meta.url), "utf8")

/** Details that several codes share. The page of a code need not explain them. */
const known = ["transaction_id", "xid", "status"]

describe("the documentation page of a code", () => {
  it.each(
    errorCauses
      .map(([, , code, details]) => [code, Object.keys(details ?? {}).filter((key) => !known.includes(key))] as const)
      .filter(([code, keys]) => code !== "VALIDATION_ERROR" && keys.length > 0)
  )("(code %s) explains the details %j", (code, keys) => {
    const page = JSON.stringify(errorTexts[code as keyof typeof errorTexts])
    for (const key of keys) expect(page).toMatch(new RegExp(`\\b${key}\\b`))
  })

  it("explains for SEGURO_PASO_INVALIDO what to do in every state", () => {
    const page = JSON.stringify(errorTexts.SEGURO_PASO_INVALIDO.action)
    for (const state of InsuranceState.literals) expect(page).toMatch(new RegExp(`\\b${state}\\b`))
  })

  it("explains every reason for FORBIDDEN", () => {
    const page = JSON.stringify(errorTexts.FORBIDDEN)
    for (const motivo of errorDetails.FORBIDDEN.fields.motivo.literals)
      expect(page).toMatch(new RegExp(`\\b${motivo}\\b`))
  })

  // A code with several causes, a section of its page, and statements of which each is true for only one cause.
  it.each([
    ["OTP_BLOQUEADO", "meaning", ["5 códigos fallidos", "5 reenvíos", "El último código sigue siendo válido"]],
    [
      "SERVICE_UNAVAILABLE",
      "money",
      ["se devolvió completo", "no se reservó nada", "la venta sigue en SUCCESS y cobrada"]
    ],
    ["TRANSACTION_PENDING", "money", ["queda retenido", "sigue cobrado"]],
    ["TRANSACTION_PENDING", "meaning", ["SUCCESS o en FAILED", "pasa a REVERSED", "se queda en SUCCESS"]],
    ["IDEMPOTENT_REQUEST_IN_PROGRESS", "meaning", ["con esta Idempotency-Key", "con otra clave"]]
  ] as const)("(code %s) states in its section %s what applies to each cause", (code, part, facts) => {
    for (const fact of facts) expect(errorTexts[code][part]).toContain(fact)
  })

  it("lists for VALIDATION_ERROR every reason of the contract", () => {
    const [, listed = ""] = /^Reason codes in `details` of VALIDATION_ERROR: (.*?)\.\n\n/ms.exec(contractPage) ?? []
    const reasons = [...listed.matchAll(/`([a-z\d_]+)`/g)].map(([, reason]) => reason)
    expect(reasons).toContain("incompleto")
    for (const reason of reasons) expect(errorTexts.VALIDATION_ERROR.meaning).toMatch(new RegExp(`\\b${reason}\\b`))
  })
})
