import { Data, Option, Schema } from "effect"
import type { Refusal } from "../../../core/domain/Errors.ts"
import type { Exchange } from "../../http/Exchange.ts"

const Faults = Schema.Struct({ errors: Schema.Array(Schema.Struct({ code: Schema.Int })) })
const decodeFaults = Schema.decodeUnknownOption(Faults)

/** The error codes of a response. Empty if the body is not a list of errors. */
export const faultsIn = (body: unknown): ReadonlyArray<number> =>
  Option.match(decodeFaults(body), { onNone: () => [], onSome: ({ errors }) => errors.map(({ code }) => code) })

/** Whether the response states that the transaction does not exist. */
export const isNotFound = (status: number, faults: ReadonlyArray<number>): boolean =>
  status === 404 && faults.length > 0 && faults.every((code) => code === 1008004)

/** Whether the response states that the phone number or account does not exist. */
export const isNoSuchParty = (status: number, faults: ReadonlyArray<number>): boolean =>
  faults.some((code) => invalidNumbers.has(code)) || (status === 404 && faults.includes(1000404))

const invalidNumbers: ReadonlySet<number> = new Set([1005003, 1006503])

/** The meaning of an error response for the order. */
export type Fault = Data.TaggedEnum<{
  Refused: { readonly refusal: Refusal }
  /** DT One rejected the request because of our credentials, request rate or balance. No transaction was created. */
  TurnedAway: {}
  /** DT One already has a transaction with this external id. The state of that transaction must be queried. */
  Exists: {}
  /** The response does not prove that no transaction was created. */
  Unclear: {}
}>
export const Fault = Data.taggedEnum<Fault>()

const refusedAs = (refusal: Refusal) => Fault.Refused({ refusal })

/** The documented errors of the request that creates a transaction. DT One DVS API 1.23.0, API Error Codes. */
const faults = new Map<number, Fault>([
  // Errors of credentials and request rate, and an insufficient balance of Saldo's account at DT One.
  [1000401, Fault.TurnedAway()],
  [1000429, Fault.TurnedAway()],
  [1006001, Fault.TurnedAway()],
  [1006009, Fault.TurnedAway()],
  [1005003, refusedAs("INVALID_PHONE")],
  [1006503, refusedAs("INVALID_PHONE")],
  [1003002, refusedAs("INVALID_AMOUNT")],
  // A malformed request, a product that is not in the account, or a receiver that the product does not serve.
  ...[1000400, 1003001, 1003003, 1005004, 1005005, 1005006, 1005503, 1006003, 1007500].map(
    (code) => [code, refusedAs("TRANSACTION_REJECTED")] as const
  ),
  ...[1007001, 1007002].map((code) => [code, Fault.Exists()] as const)
])

const firmness: ReadonlyArray<Fault["_tag"]> = ["Unclear", "Exists", "TurnedAway", "Refused"]

/**
 * The meaning of an error response. A meaning is firm if it proves that no transaction was created or that one exists. Only
 * documented codes are firm, because a proxy may send an undocumented code, or a 4xx without a code. 401 and 429 are firm
 * even without a code, because DT One did not process the request. If the response lists several errors, the least firm
 * error decides.
 */
export const faultOf = (status: number, codes: ReadonlyArray<number>): Fault => {
  if (status < 400 || status >= 500) return Fault.Unclear()
  if (codes.length === 0) return status === 401 || status === 429 ? Fault.TurnedAway() : Fault.Unclear()
  const meanings = codes.map((code) => faults.get(code) ?? Fault.Unclear())
  for (const tag of firmness) {
    const found = meanings.find(({ _tag }) => _tag === tag)
    if (found !== undefined) return found
  }
  return Fault.Unclear()
}

/** The facts of an exchange for the log, without the customer's data. */
export const logFacts = (exchange: Exchange) =>
  exchange._tag === "Answered"
    ? { answer: exchange._tag, status: exchange.status, errors: faultsIn(exchange.body) }
    : { answer: exchange._tag, error: exchange.error.message }
