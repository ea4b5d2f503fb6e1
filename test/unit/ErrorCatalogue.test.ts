import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc"
import { codes, internalError, type PublicError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import * as Errors from "../../core/domain/Errors.ts"
import { InsuranceId, TransactionId } from "../../core/domain/Ids.ts"
import { InsuranceState } from "../../core/domain/InsuranceState.ts"
import { Amount, Centavos } from "../../core/domain/Money.ts"
import { errorTexts } from "../../facade/docs/ErrorTexts.ts"
import { trpcError } from "../../facade/trpc/PublicError.ts"

/** Section 7 of the contract, and the code of decision that it leaves open for 501. */
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
  it("has every code of the contract with its status, and no other", () => {
    const table = Object.fromEntries(Object.entries(codes).map(([code, { status }]) => [code, status]))
    expect(table).toEqual(contract)
  })

  it.each(Object.entries(codes))("%s has a message for a person", (_, { message }) => {
    expect(message).toMatch(/^\p{Lu}.{8,}\.$/u)
  })
})

const transactionId = TransactionId.make(41)
const insuranceId = InsuranceId.make(9)
const insurersWords = "La placa no existe."
const xid = "RD-0123456789abcdef01234567"
const required = Amount.make(10_050)
const failed = { transaction_id: 41, xid, status: "FAILED" }

/** Each cause as its caller hears it: status, code, details. */
const causes: ReadonlyArray<readonly [Errors.CoreError, number, string, object | undefined]> = [
  [new Errors.Unauthenticated(), 401, "UNAUTHENTICATED", undefined],
  [new Errors.Forbidden({ cause: "token_revoked" }), 403, "FORBIDDEN", undefined],
  [new Errors.NotFound(), 404, "NOT_FOUND", undefined],
  [new Errors.Invalid({ details: { placa: "longitud" } }), 422, "VALIDATION_ERROR", { placa: "longitud" }],
  [new Errors.BodyTooLarge(), 413, "VALIDATION_ERROR", { body: "demasiado_grande" }],
  [new Errors.NotJson(), 415, "VALIDATION_ERROR", { content_type: "invalido" }],
  [new Errors.RateLimited({ retryAfter_s: 17 }), 429, "RATE_LIMIT_EXCEEDED", { retry_after: 17 }],
  [
    new Errors.InsufficientBalance({ available: Centavos.make(10_049), required }),
    422,
    "INSUFFICIENT_BALANCE",
    { saldo_disponible: 100.49, monto_requerido: 100.5 }
  ],
  [
    new Errors.LimitExceeded({
      period: "semanal",
      limit: Centavos.make(25_000_000),
      consumption: Centavos.make(24_995_001),
      required
    }),
    422,
    "LIMIT_EXCEEDED",
    { periodo: "semanal", limite: 250_000, consumo: 249_950.01, monto_requerido: 100.5 }
  ],
  [new Errors.RequestInProgress({ transactionId }), 409, "IDEMPOTENT_REQUEST_IN_PROGRESS", { transaction_id: 41 }],
  [
    new Errors.IdempotencyConflict({ transactionId, status: "SUCCESS" }),
    409,
    "IDEMPOTENCY_CONFLICT",
    { transaction_id: 41, status: "SUCCESS" }
  ],
  [new Errors.KeyReused(), 422, "VALIDATION_ERROR", { "Idempotency-Key": "clave_reutilizada" }],
  [
    new Errors.TransactionPending({ transactionId, xid }),
    202,
    "TRANSACTION_PENDING",
    { transaction_id: 41, xid, status: "PENDING", consultar_en: "/v1/transacciones/41" }
  ],
  [new Errors.Rejected({ refusal: "INVALID_PHONE", transactionId, xid }), 422, "INVALID_PHONE", failed],
  [new Errors.Rejected({ refusal: "INVALID_AMOUNT", transactionId, xid }), 422, "INVALID_AMOUNT", failed],
  [new Errors.Rejected({ refusal: "TRANSACTION_REJECTED", transactionId, xid }), 422, "TRANSACTION_REJECTED", failed],
  [new Errors.Rejected({ refusal: "SEGURO_NO_EMITIDO", transactionId, xid }), 422, "SEGURO_NO_EMITIDO", failed],
  [new Errors.InvalidProduct(), 422, "INVALID_PRODUCT", undefined],
  [new Errors.AmountRequired(), 422, "VALIDATION_ERROR", { amount: "requerido" }],
  [
    new Errors.AmountOutOfRange({ minimum: Centavos.make(2_050), maximum: Centavos.make(0) }),
    422,
    "VALIDATION_ERROR",
    { amount: "fuera_de_rango", monto_minimo: 20.5, monto_maximo: 0 }
  ],
  [
    new Errors.PriceMismatch({ price: required }),
    422,
    "VALIDATION_ERROR",
    { amount: "no_coincide", precio_real: 100.5 }
  ],
  ...(
    [
      ["paquetes", "/v1/consultas"],
      ["facturas", "/v1/consultas"],
      ["seguros", "/v1/seguros"]
    ] as const
  ).map(
    ([flow, path]) =>
      [
        new Errors.OptionRequired({ flow, howToBuy: "Consulte y elija." }),
        422,
        "VALIDATION_ERROR",
        { opcion_id: "requerido", flujo: flow, consultar_en: path, como_comprar: "Consulte y elija." }
      ] as const
  ),
  [new Errors.InvalidOption(), 422, "VALIDATION_ERROR", { opcion_id: "invalido" }],
  [new Errors.OptionExpired(), 422, "VALIDATION_ERROR", { opcion_id: "vencida" }],
  [new Errors.DuplicateTransaction({ transactionId }), 422, "DUPLICATE_TRANSACTION", { transaction_id: 41 }],
  [new Errors.ReversalNotSupported(), 422, "REVERSAL_NOT_SUPPORTED", undefined],
  [new Errors.NotReversible(), 422, "VALIDATION_ERROR", { status: "no_anulable" }],
  [
    new Errors.ReversalPending({ transactionId, xid }),
    202,
    "TRANSACTION_PENDING",
    { transaction_id: 41, xid, status: "PENDING", consultar_en: "/v1/transacciones/41" }
  ],
  [
    new Errors.ReversalDenied({ transactionId, xid }),
    422,
    "TRANSACTION_REJECTED",
    { transaction_id: 41, xid, status: "SUCCESS" }
  ],
  [new Errors.ServiceTimedOut(), 422, "SERVICE_TIMEOUT", undefined],
  [new Errors.NotImplemented(), 501, "NOT_IMPLEMENTED", { consultar_en: "/v1/seguros" }],
  [new Errors.ServiceUnavailable(), 422, "SERVICE_UNAVAILABLE", undefined],
  [new Errors.InsuranceUnavailable(), 503, "SEGUROS_NO_DISPONIBLE", undefined],
  [new Errors.InsuranceRejected({ reason: insurersWords }), 422, "SEGURO_RECHAZADO", undefined],
  [new Errors.VehicleUnsupported(), 422, "VEHICULO_NO_SOPORTADO", undefined],
  [new Errors.PolicyActive({ renewableFrom: "2026-03-04" }), 422, "POLIZA_ACTIVA", { renovable_desde: "2026-03-04" }],
  [new Errors.CodeWrong({ attemptsLeft: 0 }), 422, "OTP_INCORRECTO", { intentos_restantes: 0 }],
  [new Errors.CodeBlocked(), 409, "OTP_BLOQUEADO", undefined],
  [new Errors.StepOutOfOrder({ state: "otp_enviado" }), 409, "SEGURO_PASO_INVALIDO", { estado: "otp_enviado" }],
  [new Errors.VersionUnknown(), 422, "VALIDATION_ERROR", { version: "invalido" }],
  [new Errors.PlanUnknown(), 422, "VALIDATION_ERROR", { cd_tipo_plan: "invalido" }],
  [
    new Errors.ExtrasUnavailable({ extras: ["grua", "casa_conductor"] }),
    422,
    "VALIDATION_ERROR",
    { incluye_grua: "no_disponible", incluye_casa_conductor: "no_disponible" }
  ],
  [new Errors.QuoteMissing(), 409, "SEGURO_SIN_COTIZAR", undefined],
  [new Errors.QuoteExpired(), 409, "COTIZACION_VENCIDA", undefined],
  [
    new Errors.AlreadySold({ insuranceId, state: "emitiendo", transactionId }),
    409,
    "SEGURO_YA_VENDIDO",
    { seguro_id: 9, estado: "emitiendo", transaction_id: 41, consultar_en: "/v1/seguros/9" }
  ],
  [new Errors.PolicyNotIssued({ state: "cobrando" }), 409, "POLIZA_NO_EMITIDA", { estado: "cobrando" }]
]

/** Where the code's own words, which speak of a sale, would not be true. */
const otherWords: Readonly<Record<string, string>> = {
  ReversalPending: "Resultado de la anulación desconocido; consulte la transacción y no repita la anulación.",
  ReversalDenied: "El proveedor rechazó la anulación; la venta sigue en pie.",
  InsuranceRejected: insurersWords,
  PolicyActive: "El vehículo ya tiene una póliza vigente; puede renovarla a partir del 2026-03-04."
}

describe("a cause, as its caller hears it", () => {
  it.each(causes.map(([error, status, code, details]) => [error._tag, status, code, details, error] as const))(
    "%s is %d %s with %j",
    (_, status, code, details, error) => {
      const heard: PublicError = toPublic(error)
      const message = otherWords[error._tag] ?? codes[code as keyof typeof codes].message
      expect(heard).toEqual({ status, code, details, message })
      // Details are an object or absent, never null.
      expect(JSON.parse(JSON.stringify(heard)).details).not.toBeNull()
    }
  )

  it("has a name of tRPC's, whatever its status", () => {
    for (const [error] of causes) expect(Object.keys(TRPC_ERROR_CODES_BY_KEY)).toContain(trpcError(error).code)
  })

  it("never tells why a token may not: the cause is for the operator", () => {
    for (const cause of ["token_suspended", "address", "foreign_company"] as const) {
      expect(toPublic(new Errors.Forbidden({ cause }))).toEqual(toPublic(new Errors.Forbidden({ cause: "permission" })))
    }
  })

  it("says that an insurance whose sale failed has to be started again", () => {
    const sold = (state: InsuranceState) =>
      toPublic(new Errors.AlreadySold({ insuranceId, state, transactionId })).message
    expect(sold("fallida")).toBe("La venta de este seguro falló y quedó cerrada; empiece de nuevo con la placa.")
    for (const state of ["cobrando", "emitiendo", "emitida"] as const) {
      expect(sold(state)).toBe(codes.SEGURO_YA_VENDIDO.message)
    }
  })

  it("of ours is 500 INTERNAL_ERROR and nothing more", () => {
    expect(internalError).toEqual({ code: "INTERNAL_ERROR", status: 500, message: codes.INTERNAL_ERROR.message })
  })

  it("is tried here for every class of error there is", () => {
    const tried = new Set(causes.map(([error]) => error._tag as string))
    const classes = Object.entries(Errors).filter(
      ([, value]) => "prototype" in value && value.prototype instanceof Error
    )
    expect([...tried].sort()).toEqual(classes.map(([name]) => name).sort())
  })
})

const contractPage = readFileSync(new URL("../../docs/contract.md", import.meta.url), "utf8")

/** Facts that several codes carry, or the caller's own fields. */
const known = ["transaction_id", "xid", "status"]

describe("the page of a code", () => {
  it.each(
    causes
      .map(([, , code, details]) => [code, Object.keys(details ?? {}).filter((key) => !known.includes(key))] as const)
      .filter(([code, keys]) => code !== "VALIDATION_ERROR" && keys.length > 0)
  )("of %s says what %j are", (code, keys) => {
    const page = JSON.stringify(errorTexts[code as keyof typeof errorTexts])
    for (const key of keys) expect(page).toMatch(new RegExp(`\\b${key}\\b`))
  })

  it("of SEGURO_PASO_INVALIDO says what to do in every state", () => {
    const page = JSON.stringify(errorTexts.SEGURO_PASO_INVALIDO.action)
    for (const state of InsuranceState.literals) expect(page).toMatch(new RegExp(`\\b${state}\\b`))
  })

  // A code with several causes -> what is true of each, and of that one alone.
  it.each([
    ["OTP_BLOQUEADO", "meaning", ["5 códigos fallidos", "5 reenvíos", "el último código todavía abre"]],
    ["SERVICE_UNAVAILABLE", "money", ["se devolvió completo", "no se movió", "la venta sigue en SUCCESS y cobrada"]],
    ["TRANSACTION_PENDING", "money", ["queda retenido", "sigue cobrado"]],
    ["TRANSACTION_PENDING", "meaning", ["SUCCESS o en FAILED", "pasa a REVERSED", "se queda en SUCCESS"]],
    ["IDEMPOTENT_REQUEST_IN_PROGRESS", "meaning", ["con esta Idempotency-Key", "con otra clave"]]
  ] as const)("of %s says in its %s what holds for each cause", (code, part, facts) => {
    for (const fact of facts) expect(errorTexts[code][part]).toContain(fact)
  })

  it("of VALIDATION_ERROR has every reason that the contract lists", () => {
    const [, listed = ""] = /^Reason codes in `details` of VALIDATION_ERROR: ([^.]*)\./m.exec(contractPage) ?? []
    const reasons = [...listed.matchAll(/`([a-z\d_]+)`/g)].map(([, reason]) => reason)
    expect(reasons).toContain("incompleto")
    for (const reason of reasons) expect(errorTexts.VALIDATION_ERROR.meaning).toMatch(new RegExp(`\\b${reason}\\b`))
  })
})
