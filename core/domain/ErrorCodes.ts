import { Schema } from "effect"
import { LimitExceeded } from "./Errors.ts"
import { InsuranceState } from "./InsuranceState.ts"
import { NamingFlow } from "./Service.ts"
import { Status } from "./Status.ts"
import { Permission } from "./Token.ts"

/**
 * Each error code with its HTTP status and its message for people. Clients decide by status and code, never by the
 * message. Contract: 7.
 */
export const codes = {
  UNAUTHENTICATED: { status: 401, message: "Credenciales ausentes o inválidas." },
  FORBIDDEN: { status: 403, message: "El token o la empresa no tiene permiso para esta operación." },
  NOT_FOUND: { status: 404, message: "El recurso no existe." },
  VALIDATION_ERROR: { status: 422, message: "Parámetros inválidos; vea los detalles." },
  INSUFFICIENT_BALANCE: { status: 422, message: "El saldo disponible no alcanza." },
  LIMIT_EXCEEDED: { status: 422, message: "La operación excede el límite de consumo del período." },
  IDEMPOTENT_REQUEST_IN_PROGRESS: {
    status: 409,
    message: "Ya hay una operación en curso; espere y repita esta llamada con su misma clave."
  },
  IDEMPOTENCY_CONFLICT: { status: 409, message: "La clave no puede resolverse; revise el historial antes de repetir." },
  RATE_LIMIT_EXCEEDED: { status: 429, message: "Demasiadas solicitudes; espere y repita." },
  TRANSACTION_PENDING: {
    status: 202,
    message: "Resultado desconocido; el monto queda retenido. Consulte la transacción y no repita la venta."
  },
  INVALID_PHONE: { status: 422, message: "Número inválido; el monto fue devuelto." },
  INVALID_PRODUCT: { status: 422, message: "El servicio no es válido; actualice el catálogo." },
  INVALID_AMOUNT: { status: 422, message: "El proveedor no aceptó el monto, que fue devuelto." },
  DUPLICATE_TRANSACTION: { status: 422, message: "Operación duplicada; revise el historial." },
  TRANSACTION_REJECTED: { status: 422, message: "El proveedor rechazó la operación; el monto fue devuelto." },
  SERVICE_TIMEOUT: { status: 422, message: "El servicio no respondió a tiempo." },
  SERVICE_UNAVAILABLE: { status: 422, message: "El servicio no está disponible; espere y repita con la misma clave." },
  DOCUMENTO_NO_DISPONIBLE: { status: 503, message: "Hay demasiados documentos en preparación; espere y repita." },
  REVERSAL_NOT_SUPPORTED: { status: 422, message: "El servicio no acepta anulación." },
  NOT_IMPLEMENTED: { status: 501, message: "Este servicio no se consulta por esta vía." },
  INTERNAL_ERROR: { status: 500, message: "Error interno; consulte la transacción y reporte el request_id." },
  SEGURO_NO_EMITIDO: { status: 422, message: "La póliza no fue emitida; el monto fue devuelto." },
  COTIZACION_VENCIDA: { status: 409, message: "La cotización venció; cotice de nuevo." },
  SEGURO_YA_VENDIDO: { status: 409, message: "Este seguro ya fue vendido o se está vendiendo." },
  SEGURO_SIN_COTIZAR: { status: 409, message: "Falta cotizar el seguro." },
  POLIZA_ACTIVA: { status: 422, message: "El vehículo ya tiene una póliza vigente." },
  POLIZA_NO_EMITIDA: { status: 409, message: "La póliza todavía no ha sido emitida." },
  VEHICULO_NO_SOPORTADO: { status: 422, message: "La aseguradora no cubre este tipo de vehículo." },
  SEGURO_RECHAZADO: { status: 422, message: "La aseguradora rechazó los datos." },
  OTP_INCORRECTO: { status: 422, message: "El código es incorrecto o venció." },
  OTP_BLOQUEADO: { status: 409, message: "Demasiados códigos fallidos o reenvíos; no se enviará otro código." },
  SEGURO_PASO_INVALIDO: { status: 409, message: "Este paso no corresponde al estado del seguro." },
  SEGUROS_NO_DISPONIBLE: { status: 503, message: "La venta de seguros no está disponible por ahora." }
} as const satisfies Record<string, { readonly status: number; readonly message: string }>

export type ErrorCode = keyof typeof codes

/** Other statuses of VALIDATION_ERROR: 413 for a body that is too large, 415 for a body that is not JSON. */
export const bodyStatuses = [413, 415] as const

export type ErrorStatus = (typeof codes)[ErrorCode]["status"] | (typeof bodyStatuses)[number]

const path = Schema.String.annotate({ description: "La ruta que hay que consultar." })

const retryAfter = Schema.Int.annotate({ description: "Segundos." })

/** Fields that identify the sale in the details of an error. */
const sale = { transaction_id: Schema.Int, xid: Schema.String }

/** The sale that failed and is not charged. */
const Refused = Schema.Struct({ ...sale, status: Schema.Literal("FAILED") })

/** An earlier operation that prevents this one. */
const Existing = Schema.Struct({ transaction_id: Schema.Int })

/** The current state of an insurance, in which this operation is not allowed. */
const Blocking = Schema.Struct({ estado: InsuranceState })

/** Maps each invalid field to a reason. Some reasons add data under further keys, such as `monto_minimo`. */
const Faults = Schema.StructWithRest(
  Schema.Struct({
    monto_minimo: Schema.optionalKey(Schema.Finite),
    monto_maximo: Schema.optionalKey(Schema.Finite),
    precio_real: Schema.optionalKey(Schema.Finite),
    flujo: Schema.optionalKey(NamingFlow),
    consultar_en: Schema.optionalKey(path),
    como_comprar: Schema.optionalKey(Schema.String),
    retry_after: retryAfter.pipe(Schema.optionalKey)
  }),
  [Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite]))]
).annotate({ description: "Por campo, el motivo: requerido, invalido, fuera_de_rango… Algunos traen además un dato." })

/** The shape of `error.details` for each code. Codes that are not listed have no details. Contract: 2.1 and 7. */
export const errorDetails = {
  FORBIDDEN: Schema.Struct({
    motivo: Schema.Literals([
      "token_suspendido",
      "token_revocado",
      "empresa_sin_api",
      "empresa_suspendida",
      "ip_no_autorizada",
      "permiso_faltante",
      "empresa_ajena",
      "seguros_no_habilitados",
      "sandbox_compartido"
    ]),
    permiso: Schema.optionalKey(
      Permission.annotate({ description: "El permiso que falta al token; solo con permiso_faltante." })
    )
  }),
  VALIDATION_ERROR: Faults,
  INSUFFICIENT_BALANCE: Schema.Struct({ saldo_disponible: Schema.Finite, monto_requerido: Schema.Finite }),
  LIMIT_EXCEEDED: Schema.Struct({
    periodo: LimitExceeded.fields.period,
    limite: Schema.Finite,
    consumo: Schema.Finite,
    monto_requerido: Schema.Finite
  }),
  IDEMPOTENT_REQUEST_IN_PROGRESS: Existing,
  IDEMPOTENCY_CONFLICT: Schema.Struct({ transaction_id: Schema.Int, status: Status }),
  RATE_LIMIT_EXCEEDED: Schema.Struct({ retry_after: retryAfter }),
  TRANSACTION_PENDING: Schema.Struct({ ...sale, status: Schema.Literal("PENDING"), consultar_en: path }),
  INVALID_PHONE: Refused,
  INVALID_AMOUNT: Refused,
  DUPLICATE_TRANSACTION: Existing,
  TRANSACTION_REJECTED: Schema.Struct({
    ...sale,
    status: Schema.Literals(["FAILED", "SUCCESS"]).annotate({
      description: "FAILED si se rechazó la venta; SUCCESS si se rechazó la anulación, porque la venta sigue en pie."
    })
  }),
  NOT_IMPLEMENTED: Schema.Struct({ consultar_en: path }),
  SEGURO_NO_EMITIDO: Refused,
  SEGURO_YA_VENDIDO: Schema.Struct({
    seguro_id: Schema.Int,
    estado: InsuranceState,
    transaction_id: Schema.NullOr(Schema.Int),
    consultar_en: path
  }),
  POLIZA_ACTIVA: Schema.Struct({ renovable_desde: Schema.String.annotate({ format: "date" }) }),
  POLIZA_NO_EMITIDA: Blocking,
  OTP_INCORRECTO: Schema.Struct({ intentos_restantes: Schema.Int }),
  SEGURO_PASO_INVALIDO: Blocking
} as const

/** Error codes that have details. */
export type DetailedCode = keyof typeof errorDetails

/** The details of each code as TypeScript types. VALIDATION_ERROR may name any field of the caller's input. */
export type ErrorDetails = {
  readonly [Code in DetailedCode]: Code extends "VALIDATION_ERROR"
    ? Readonly<Record<string, string | number>>
    : (typeof errorDetails)[Code]["Type"]
}
