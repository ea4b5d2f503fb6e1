import { Schema } from "effect"
import { LimitExceeded } from "./Errors.ts"
import { AlreadySold, PolicyNotIssued, StepOutOfOrder } from "./InsuranceErrors.ts"
import { NamingFlow } from "./Service.ts"
import { Status } from "./Status.ts"

const path = Schema.String.annotate({ description: "La ruta que hay que consultar." })

/** The sale that an error is about. */
const sale = { transaction_id: Schema.Int, xid: Schema.String }

const Refused = Schema.Struct({ ...sale, status: Schema.Literal("FAILED") })

/** Maps each invalid field to a reason. Some reasons add facts under further keys. */
const Faults = Schema.StructWithRest(
  Schema.Struct({
    monto_minimo: Schema.optionalKey(Schema.Finite),
    monto_maximo: Schema.optionalKey(Schema.Finite),
    precio_real: Schema.optionalKey(Schema.Finite),
    flujo: Schema.optionalKey(NamingFlow),
    consultar_en: Schema.optionalKey(path),
    como_comprar: Schema.optionalKey(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite]))]
).annotate({ description: "Por campo, el motivo: requerido, invalido, fuera_de_rango… Algunos traen además un dato." })

/** The shape of `error.details` for each code. Codes that are not listed have no details. Contract: 2.1 and 7. */
export const errorDetails = {
  VALIDATION_ERROR: Faults,
  INSUFFICIENT_BALANCE: Schema.Struct({ saldo_disponible: Schema.Finite, monto_requerido: Schema.Finite }),
  LIMIT_EXCEEDED: Schema.Struct({
    periodo: LimitExceeded.fields.period,
    limite: Schema.Finite,
    consumo: Schema.Finite,
    monto_requerido: Schema.Finite
  }),
  IDEMPOTENT_REQUEST_IN_PROGRESS: Schema.Struct({ transaction_id: Schema.Int }),
  IDEMPOTENCY_CONFLICT: Schema.Struct({ transaction_id: Schema.Int, status: Status }),
  RATE_LIMIT_EXCEEDED: Schema.Struct({ retry_after: Schema.Int.annotate({ description: "Segundos." }) }),
  TRANSACTION_PENDING: Schema.Struct({ ...sale, status: Schema.Literal("PENDING"), consultar_en: path }),
  INVALID_PHONE: Refused,
  INVALID_AMOUNT: Refused,
  DUPLICATE_TRANSACTION: Schema.Struct({ transaction_id: Schema.Int }),
  TRANSACTION_REJECTED: Schema.Struct({
    ...sale,
    status: Schema.Literals(["FAILED", "SUCCESS"]).annotate({
      description: "FAILED, de una venta; SUCCESS, de una anulación: la venta sigue en pie."
    })
  }),
  NOT_IMPLEMENTED: Schema.Struct({ consultar_en: path }),
  SEGURO_NO_EMITIDO: Refused,
  SEGURO_YA_VENDIDO: Schema.Struct({
    seguro_id: Schema.Int,
    estado: AlreadySold.fields.state,
    transaction_id: Schema.NullOr(Schema.Int),
    consultar_en: path
  }),
  POLIZA_ACTIVA: Schema.Struct({ renovable_desde: Schema.String.annotate({ format: "date" }) }),
  POLIZA_NO_EMITIDA: Schema.Struct({ estado: PolicyNotIssued.fields.state }),
  OTP_INCORRECTO: Schema.Struct({ intentos_restantes: Schema.Int }),
  SEGURO_PASO_INVALIDO: Schema.Struct({ estado: StepOutOfOrder.fields.state })
} as const

/** Codes that have details. */
export type DetailedCode = keyof typeof errorDetails

/** The details of each code as TypeScript types. VALIDATION_ERROR may name any field of the caller's input. */
export type ErrorDetails = {
  readonly [Code in DetailedCode]: Code extends "VALIDATION_ERROR"
    ? Readonly<Record<string, string | number>>
    : (typeof errorDetails)[Code]["Type"]
}
