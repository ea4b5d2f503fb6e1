import { type BoundedOptions, type Calls, newKey } from "./Calls.ts"
import { type ErrorCode, type Failure, isFailure, isSaldoError } from "./Errors.ts"
import type { Input, Output } from "./Procedures.ts"
import { isTemporary, type Surroundings } from "./Repeat.ts"

type Sale = Output<"recargas", "crear">
type Transaction = Output<"transacciones", "ver">

/** The fields of every result of a sale. */
interface Known {
  readonly idempotency_key: string
  readonly transaction_id: number
  readonly xid: string
  readonly message: string
}

/** A delivered sale. Its amount is charged. */
export interface Delivered
  extends Known,
    Pick<Sale, "amount" | "auth_code" | "currency" | "identifier" | "processed_at" | "recharge_token" | "service"> {
  readonly status: "SUCCESS"
}

/** A sale that failed, or that was reversed later. Its amount is returned. */
export interface Failed extends Known {
  readonly status: "FAILED"
  /** Code of the provider's refusal. Null if only `message` states the reason. */
  readonly code: ErrorCode | null
}

/** A sale without a known outcome at the deadline. Its amount stays held. Do not sell again: read the transaction. */
export interface Pending extends Known {
  readonly status: "PENDING"
  /** Why the transaction could not be read. Null if it was read and is unresolved. */
  readonly error: Failure | null
}

export type SaleResult = Delivered | Failed | Pending

export interface SaleOptions {
  /**
   * Ends the call. The service may still finish the sale. Give the sale an idempotency key, so that you can find it.
   */
  readonly signal?: AbortSignal | undefined
  /** How long to wait for each response. The client's timeout by default. */
  readonly timeout_ms?: number | undefined
  /** After this time, no call is retried and an unknown outcome is PENDING. Two minutes by default. */
  readonly deadline_ms?: number | undefined
}

/**
 * Makes a sale. Retries with the same key as long as the outcome is unknown, and waits for the outcome of a pending
 * sale. Throws if the sale was refused before its amount was held, or if no response came.
 */
export type Vender = (sale: Input<"recargas", "crear">, options?: SaleOptions) => Promise<SaleResult>

const deadline_default_ms = 120_000
const poll_ms = 10_000 // contract, 4.5, rule 1

/** Converts a transaction's local time to the format of a sale, which has an offset. */
const withOffset = (local: string): string => `${local.replace(" ", "T")}-04:00`

const deliveredAs = (idempotency_key: string, sale: Omit<Sale, "status">): Delivered => {
  const { amount, auth_code, currency, identifier, message, processed_at, recharge_token, service } = sale
  const { transaction_id, xid } = sale
  return {
    status: "SUCCESS",
    idempotency_key,
    transaction_id,
    xid,
    auth_code,
    ...(recharge_token !== undefined && { recharge_token }),
    service,
    identifier,
    amount,
    currency,
    message,
    processed_at
  }
}

/** The result of a sale that was pending, from the current state of its transaction. */
const resultIn = (pending: Pending, transaction: Transaction): SaleResult => {
  const { auth_code, message, processed_at, status } = transaction
  if (status === "FAILED" || status === "REVERSED") return { ...known(pending), message, status: "FAILED", code: null }
  if (status !== "SUCCESS") return { ...pending, error: null }
  const sale = { ...transaction, auth_code: auth_code ?? "", processed_at: withOffset(processed_at ?? "") }
  return deliveredAs(pending.idempotency_key, sale)
}

const known = ({ idempotency_key, message, transaction_id, xid }: Known): Known => ({
  idempotency_key,
  transaction_id,
  xid,
  message
})

/** The result that an error response states. Undefined if the error names no sale with an outcome. */
const statedBy = (idempotency_key: string, error: unknown): Failed | Pending | undefined => {
  if (!isSaldoError(error)) return undefined
  const { code, message } = error
  const { status, ...sale } = Object(error.details) as Partial<Known> & { readonly status?: string }
  if (sale.transaction_id === undefined || sale.xid === undefined) return undefined
  const stated = known({ idempotency_key, transaction_id: sale.transaction_id, xid: sale.xid, message })
  if (code === "TRANSACTION_PENDING") return { ...stated, status: "PENDING", error: null }
  return status === "FAILED" ? { ...stated, status: "FAILED", code } : undefined
}

/** Makes `vender`. Contract: 4.5. */
export const venderOver = ({ procedure }: Calls, { now_ms, pause }: Surroundings): Vender => {
  const lookUp = async (pending: Pending, options: BoundedOptions): Promise<SaleResult> => {
    try {
      const found = await procedure("query", "transacciones.ver", { id: pending.transaction_id }, options)
      return resultIn(pending, found as Transaction)
    } catch (error) {
      if (!isFailure(error)) throw error
      return { ...pending, error }
    }
  }

  const settled = async (first: Pending, until_ms: number, options: BoundedOptions): Promise<SaleResult> => {
    for (let result: SaleResult = first; ; ) {
      const left_ms = until_ms - now_ms()
      const mayChange = result.status === "PENDING" && (result.error === null || isTemporary(result.error))
      if (!mayChange || left_ms <= 0) return result
      await pause(Math.min(poll_ms, left_ms), options.signal)
      result = await lookUp(first, options)
    }
  }

  return async (sale, { deadline_ms = deadline_default_ms, signal, timeout_ms } = {}) => {
    const until_ms = now_ms() + deadline_ms
    const options = { signal, timeout_ms, until_ms }
    const idempotency_key = sale.idempotency_key ?? newKey()
    try {
      const sold = await procedure("mutation", "recargas.crear", { ...sale, idempotency_key }, options)
      return deliveredAs(idempotency_key, sold as Sale)
    } catch (error) {
      const result = statedBy(idempotency_key, error)
      if (result === undefined) throw error
      return result.status === "PENDING" ? await settled(result, until_ms, options) : result
    }
  }
}
