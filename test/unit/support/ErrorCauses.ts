import * as Errors from "../../../core/domain/Errors.ts"
import { InsuranceId, TransactionId } from "../../../core/domain/Ids.ts"
import * as InsuranceErrors from "../../../core/domain/InsuranceErrors.ts"
import { StepOutOfOrder } from "../../../core/domain/InsuranceState.ts"
import { Amount, Centavos } from "../../../core/domain/Money.ts"

/** The insurer's reason for a refusal. */
export const insurersWords = "La placa no existe."

const transactionId = TransactionId.make(41)
const xid = "RD-0123456789abcdef01234567"
const required = Amount.make(10_050)
const failed = { transaction_id: 41, xid, status: "FAILED" }

/** Errors, each with the status, code and details that the caller sees. Contains at least one error of each class. */
export const errorCauses: ReadonlyArray<readonly [Errors.CoreError, number, string, object | undefined]> = [
  [new Errors.Unauthenticated(), 401, "UNAUTHENTICATED", undefined],
  ...(
    [
      ["token_suspended", "token_suspendido"],
      ["token_revoked", "token_revocado"],
      ["company_without_api", "empresa_sin_api"],
      ["company_suspended", "empresa_suspendida"],
      ["address", "ip_no_autorizada"],
      ["foreign_company", "empresa_ajena"],
      ["insurance", "seguros_no_habilitados"]
    ] as const
  ).map(([why, motivo]) => [new Errors.Forbidden({ why }), 403, "FORBIDDEN", { motivo }] as const),
  [
    new Errors.Forbidden({ why: "permission", permission: "balance.read" }),
    403,
    "FORBIDDEN",
    { motivo: "permiso_faltante", permiso: "balance.read" }
  ],
  [new Errors.NotFound(), 404, "NOT_FOUND", undefined],
  [new Errors.WrongMethod({ procedure: "recargas.crear", method: "POST" }), 404, "NOT_FOUND", undefined],
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
  [new Errors.CompanyClosed(), 503, "SERVICE_UNAVAILABLE", undefined],
  [new Errors.DocumentsBusy(), 503, "DOCUMENTO_NO_DISPONIBLE", undefined],
  [new InsuranceErrors.InsuranceUnavailable(), 503, "SEGUROS_NO_DISPONIBLE", undefined],
  [new InsuranceErrors.InsuranceRejected({ reason: insurersWords }), 422, "SEGURO_RECHAZADO", undefined],
  [new InsuranceErrors.VehicleUnsupported(), 422, "VEHICULO_NO_SOPORTADO", undefined],
  [
    new InsuranceErrors.PolicyActive({ renewableFrom: "2026-03-04" }),
    422,
    "POLIZA_ACTIVA",
    { renovable_desde: "2026-03-04" }
  ],
  [new InsuranceErrors.CodeWrong({ attemptsLeft: 0 }), 422, "OTP_INCORRECTO", { intentos_restantes: 0 }],
  [new InsuranceErrors.CodeBlocked(), 409, "OTP_BLOQUEADO", undefined],
  [
    new InsuranceErrors.PhoneLimited({ period: "dia", messages_max: 10, retryAfter_s: 3_600 }),
    422,
    "VALIDATION_ERROR",
    { telefono: "demasiados_mensajes", periodo: "dia", limite: 10, retry_after: 3_600 }
  ],
  [new StepOutOfOrder({ state: "otp_enviado" }), 409, "SEGURO_PASO_INVALIDO", { estado: "otp_enviado" }],
  [new InsuranceErrors.VersionUnknown(), 422, "VALIDATION_ERROR", { version: "invalido" }],
  [new InsuranceErrors.PlanUnknown(), 422, "VALIDATION_ERROR", { cd_tipo_plan: "invalido" }],
  [
    new InsuranceErrors.ExtrasUnavailable({ extras: ["grua", "casa_conductor"] }),
    422,
    "VALIDATION_ERROR",
    { incluye_grua: "no_disponible", incluye_casa_conductor: "no_disponible" }
  ],
  [new InsuranceErrors.QuoteMissing(), 409, "SEGURO_SIN_COTIZAR", undefined],
  [new InsuranceErrors.QuoteExpired(), 409, "COTIZACION_VENCIDA", undefined],
  [
    new InsuranceErrors.AlreadySold({ insuranceId: InsuranceId.make(9), state: "emitiendo", transactionId }),
    409,
    "SEGURO_YA_VENDIDO",
    { seguro_id: 9, estado: "emitiendo", transaction_id: 41, consultar_en: "/v1/seguros/9" }
  ],
  [new InsuranceErrors.PolicyNotIssued({ state: "cobrando" }), 409, "POLIZA_NO_EMITIDA", { estado: "cobrando" }]
]
