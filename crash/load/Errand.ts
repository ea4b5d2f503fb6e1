import type { Customer } from "../stage/Customers.ts"

/** What a client hears of a call. */
export interface Answer {
  /** 0 when there was none. */
  readonly status: number
  readonly code: string | null
  readonly transactionId: number | null
  readonly authCode: string | null
}

/**
 * Something that a client wants done once: a key, and all that it was answered to the calls with it, in their order.
 */
export interface Errand {
  readonly customer: Customer
  readonly key: string
  readonly xid: string
  /** The sale that is to be taken back; null for an errand that is a sale. */
  readonly saleId: number | null
  readonly path: string
  readonly body: object
  readonly answers: Array<Answer>
}

export const noAnswer: Answer = { status: 0, code: null, transactionId: null, authCode: null }

/** Codes of definite refusals that a key keeps: the money was held, and was given back. Contract: 4.5. */
const refusals = ["INVALID_PHONE", "INVALID_AMOUNT", "TRANSACTION_REJECTED", "SEGURO_NO_EMITIDO"]

/** It was done. */
export const isDone = ({ status }: Answer): boolean => status === 200 || status === 201

/** It was refused, for good. */
export const isRefused = ({ code, status }: Answer): boolean => status === 422 && refusals.includes(code ?? "")

/** It will never be answered otherwise. */
export const isFirm = (answer: Answer): boolean => isDone(answer) || isRefused(answer)

/** Nobody knows yet what became of it, and the client is told not to ask again by this key. */
export const isPending = ({ status }: Answer): boolean => status === 202

/** The client may, and should, try again with the same key. Contract: 4.5 and 7. */
export const isToBeRepeated = ({ code, status }: Answer): boolean =>
  status === 0 ||
  status >= 500 ||
  (status === 409 && code === "IDEMPOTENT_REQUEST_IN_PROGRESS") ||
  (status === 422 && code === "SERVICE_UNAVAILABLE")

/** A key that has been in progress for a quarter of an hour. It is not for ever. */
export const conflict = "IDEMPOTENCY_CONFLICT"

/** The client knows what became of his errand, or that nobody will know soon. */
export const hasHeard = ({ answers }: Errand): boolean => {
  const final = answers.at(-1)
  return final !== undefined && !isToBeRepeated(final) && final.code !== conflict
}

/** What a client was answered in a few words, for the story. */
export const wordsOf = ({ code, status }: Answer): string =>
  status === 0 ? "nothing" : `${status} ${code ?? ""}`.trim()
