import { Cause, Option, Predicate } from "effect"
import { codes, type DetailedCode, type ErrorCode, type ErrorDetails, type ErrorStatus } from "./ErrorCodes.ts"
import { CompanyClosed, type CoreError, type Forbidden, type Refusal } from "./Errors.ts"
import type { ExtraCode } from "./InsuranceOffer.ts"
import { toPesos } from "./Money.ts"
import type { NamingFlow } from "./Service.ts"

/** An error as REST and tRPC show it. */
export interface PublicError {
  readonly code: ErrorCode
  readonly status: ErrorStatus
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

interface Overrides<E> {
  /** The status and the message are set only if they differ from the status and message of the code. */
  readonly status?: ErrorStatus
  readonly message?: string | ((error: E) => string | undefined)
}

/** If the code of a row has details, the row must give exactly these details. Otherwise the row gives no details. */
type Row<E> = Overrides<E> &
  (
    | { readonly code: Exclude<ErrorCode, DetailedCode>; readonly details?: never }
    | { readonly [Code in DetailedCode]: Detailed<E, Code, Code> }[DetailedCode]
    | Detailed<E, Refusal, (error: E) => Refusal>
  )

interface Detailed<E, Code extends DetailedCode, Named> {
  readonly code: Named
  readonly details: (error: E) => ErrorDetails[Code]
}

/** The path at which a client polls a transaction. Contract: 2.5. */
const transactionPath = (id: number): string => `/v1/transacciones/${id}`

/** The path at which a client finds the options of a flow. Contract: 4.4 and 4.6. */
const optionsPath: Record<NamingFlow, string> = {
  paquetes: "/v1/consultas",
  facturas: "/v1/consultas",
  seguros: "/v1/seguros"
}

/** The request fields that ask for an extra. Contract: 4.6, step 5. */
const extraField: Record<ExtraCode, string> = { grua: "incluye_grua", casa_conductor: "incluye_casa_conductor" }

/** The wire name of each reason for a 403. Contract: 5. */
const motives: Record<Forbidden["why"], ErrorDetails["FORBIDDEN"]["motivo"]> = {
  token_suspended: "token_suspendido",
  token_revoked: "token_revocado",
  company_without_api: "empresa_sin_api",
  company_suspended: "empresa_suspendida",
  address: "ip_no_autorizada",
  permission: "permiso_faltante",
  foreign_company: "empresa_ajena",
  insurance: "seguros_no_habilitados",
  shared_sandbox: "sandbox_compartido"
}

const pendingDetails = ({ transactionId, xid }: { readonly transactionId: number; readonly xid: string }) => ({
  transaction_id: transactionId,
  xid,
  status: "PENDING" as const,
  consultar_en: transactionPath(transactionId)
})

/** Maps each error class to its code and details. A class without a row is a compile error. */
const rows: { readonly [Tag in CoreError["_tag"]]: Row<Extract<CoreError, { _tag: Tag }>> } = {
  Unauthenticated: { code: "UNAUTHENTICATED" },
  Forbidden: {
    code: "FORBIDDEN",
    details: ({ permission, why }) => ({
      motivo: motives[why],
      ...(permission !== undefined && { permiso: permission })
    })
  },
  NotFound: { code: "NOT_FOUND" },
  WrongMethod: {
    code: "NOT_FOUND",
    message: ({ method, procedure }) =>
      `${procedure} se llama con ${method}, no con ${method === "GET" ? "POST" : "GET"}.`
  },
  Invalid: { code: "VALIDATION_ERROR", details: ({ details }) => details },
  BodyTooLarge: { code: "VALIDATION_ERROR", status: 413, details: () => ({ body: "demasiado_grande" }) },
  NotJson: { code: "VALIDATION_ERROR", status: 415, details: () => ({ content_type: "invalido" }) },
  RateLimited: { code: "RATE_LIMIT_EXCEEDED", details: ({ retryAfter_s }) => ({ retry_after: retryAfter_s }) },
  InsufficientBalance: {
    code: "INSUFFICIENT_BALANCE",
    details: ({ available, required }) => ({
      saldo_disponible: toPesos(available),
      monto_requerido: toPesos(required)
    })
  },
  LimitExceeded: {
    code: "LIMIT_EXCEEDED",
    details: ({ period, limit, consumption, required }) => ({
      periodo: period,
      limite: toPesos(limit),
      consumo: toPesos(consumption),
      monto_requerido: toPesos(required)
    })
  },
  RequestInProgress: {
    code: "IDEMPOTENT_REQUEST_IN_PROGRESS",
    details: ({ transactionId }) => ({ transaction_id: transactionId })
  },
  IdempotencyConflict: {
    code: "IDEMPOTENCY_CONFLICT",
    details: ({ transactionId, status }) => ({ transaction_id: transactionId, status })
  },
  KeyReused: { code: "VALIDATION_ERROR", details: () => ({ "Idempotency-Key": "clave_reutilizada" }) },
  TransactionPending: {
    code: "TRANSACTION_PENDING",
    details: pendingDetails
  },
  Rejected: {
    code: ({ refusal }) => refusal,
    details: ({ transactionId, xid }) => ({ transaction_id: transactionId, xid, status: "FAILED" as const })
  },
  InvalidProduct: { code: "INVALID_PRODUCT" },
  AmountRequired: { code: "VALIDATION_ERROR", details: () => ({ amount: "requerido" }) },
  AmountOutOfRange: {
    code: "VALIDATION_ERROR",
    details: ({ maximum, minimum }) => ({
      amount: "fuera_de_rango",
      monto_minimo: toPesos(minimum),
      monto_maximo: toPesos(maximum)
    })
  },
  PriceMismatch: {
    code: "VALIDATION_ERROR",
    details: ({ price }) => ({ amount: "no_coincide", precio_real: toPesos(price) })
  },
  OptionRequired: {
    code: "VALIDATION_ERROR",
    details: ({ flow, howToBuy }) => ({
      opcion_id: "requerido",
      flujo: flow,
      consultar_en: optionsPath[flow],
      como_comprar: howToBuy
    })
  },
  InvalidOption: { code: "VALIDATION_ERROR", details: () => ({ opcion_id: "invalido" }) },
  OptionExpired: { code: "VALIDATION_ERROR", details: () => ({ opcion_id: "vencida" }) },
  DuplicateTransaction: {
    code: "DUPLICATE_TRANSACTION",
    details: ({ transactionId }) => ({ transaction_id: transactionId })
  },
  ReversalNotSupported: { code: "REVERSAL_NOT_SUPPORTED" },
  NotReversible: { code: "VALIDATION_ERROR", details: () => ({ status: "no_anulable" }) },
  ReversalPending: {
    code: "TRANSACTION_PENDING",
    message: "Resultado de la anulación desconocido; consulte la transacción y no repita la anulación.",
    details: pendingDetails
  },
  ReversalDenied: {
    code: "TRANSACTION_REJECTED",
    message: "El proveedor rechazó la anulación; la venta sigue en pie.",
    details: ({ transactionId, xid }) => ({ transaction_id: transactionId, xid, status: "SUCCESS" })
  },
  ServiceTimedOut: { code: "SERVICE_TIMEOUT" },
  NotImplemented: { code: "NOT_IMPLEMENTED", details: () => ({ consultar_en: "/v1/seguros" }) },
  ServiceUnavailable: { code: "SERVICE_UNAVAILABLE" },
  CompanyClosed: { code: "SERVICE_UNAVAILABLE", status: 503 },
  DocumentsBusy: { code: "DOCUMENTO_NO_DISPONIBLE" },
  InsuranceUnavailable: { code: "SEGUROS_NO_DISPONIBLE" },
  InsuranceRejected: { code: "SEGURO_RECHAZADO", message: ({ reason }) => reason },
  VehicleUnsupported: { code: "VEHICULO_NO_SOPORTADO" },
  PolicyActive: {
    code: "POLIZA_ACTIVA",
    message: ({ renewableFrom }) =>
      `El vehículo ya tiene una póliza vigente; puede renovarla a partir del ${renewableFrom}.`,
    details: ({ renewableFrom }) => ({ renovable_desde: renewableFrom })
  },
  CodeWrong: { code: "OTP_INCORRECTO", details: ({ attemptsLeft }) => ({ intentos_restantes: attemptsLeft }) },
  CodeBlocked: { code: "OTP_BLOQUEADO" },
  PhoneLimited: {
    code: "VALIDATION_ERROR",
    message: "Este teléfono ya recibió el máximo de mensajes; espere y repita.",
    details: ({ messages_max, period, retryAfter_s }) => ({
      telefono: "demasiados_mensajes",
      periodo: period,
      limite: messages_max,
      retry_after: retryAfter_s
    })
  },
  StepOutOfOrder: { code: "SEGURO_PASO_INVALIDO", details: ({ state }) => ({ estado: state }) },
  VersionUnknown: { code: "VALIDATION_ERROR", details: () => ({ version: "invalido" }) },
  PlanUnknown: { code: "VALIDATION_ERROR", details: () => ({ cd_tipo_plan: "invalido" }) },
  ExtrasUnavailable: {
    code: "VALIDATION_ERROR",
    details: ({ extras }) => Object.fromEntries(extras.map((code) => [extraField[code], "no_disponible"]))
  },
  QuoteMissing: { code: "SEGURO_SIN_COTIZAR" },
  QuoteExpired: { code: "COTIZACION_VENCIDA" },
  AlreadySold: {
    code: "SEGURO_YA_VENDIDO",
    message: ({ state }) =>
      state === "fallida" ? "La venta de este seguro falló y quedó cerrada; empiece de nuevo con la placa." : undefined,
    details: ({ insuranceId, state, transactionId }) => ({
      seguro_id: insuranceId,
      estado: state,
      transaction_id: transactionId,
      consultar_en: `/v1/seguros/${insuranceId}`
    })
  },
  PolicyNotIssued: {
    code: "POLIZA_NO_EMITIDA",
    message: ({ state }) =>
      state === "fallida"
        ? "La póliza no fue emitida y el seguro quedó cerrado; empiece de nuevo con la placa."
        : undefined,
    details: ({ state }) => ({ estado: state })
  }
}

/** Whether the value is an error that a caller may see. */
export const isCoreError = (error: unknown): error is CoreError =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && Object.hasOwn(rows, error._tag)

/** The error itself if it has a code, and otherwise its outermost cause that has a code. Null if there is none. */
export const codedError = (error: unknown): { readonly code: unknown } | null => {
  if (Predicate.hasProperty(error, "code")) return error
  return Predicate.hasProperty(error, "cause") ? codedError(error.cause) : null
}

/** The code of an error or, if the error has none, of its outermost cause with a code. Null if there is none. */
export const codeOf = (error: unknown): unknown => codedError(error)?.code ?? null

// The SQL error code with which the database refuses to write rows of a closed company.
const closedCode = "SC001"

/** Whether a call failed because its company is closed. */
export const isOfClosedCompany = (defect: unknown): boolean =>
  defect instanceof CompanyClosed || codeOf(defect) === closedCode

/**
 * The error of a failed call. If the company is closed during a call, the database refuses a statement of the call. This
 * refusal is a defect, and the caller sees it as CompanyClosed.
 */
export const failureOf = <E>(cause: Cause.Cause<E>): Option.Option<E | CompanyClosed> =>
  Option.orElse(Cause.findErrorOption(cause), () =>
    isOfClosedCompany(Cause.squash(cause)) ? Option.some(new CompanyClosed()) : Option.none()
  )

/** Converts an error class to the error that the caller sees. */
export const toPublic = <E extends CoreError>(error: E): PublicError => {
  const row = rows[error._tag] as Row<CoreError>
  const code = typeof row.code === "function" ? row.code(error) : row.code
  const message = typeof row.message === "function" ? row.message(error) : row.message
  return {
    code,
    status: row.status ?? codes[code].status,
    message: message ?? codes[code].message,
    details: row.details?.(error)
  }
}

/** The error that a caller sees when the service itself fails. It never contains a stack trace or SQL. */
export const internalError: PublicError = { code: "INTERNAL_ERROR", ...codes.INTERNAL_ERROR }
