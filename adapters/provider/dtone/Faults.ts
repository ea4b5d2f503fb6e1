import { Data, Option, Schema } from "effect"
import type { Refusal } from "../../../core/domain/Errors.ts"

const Faults = Schema.Struct({ errors: Schema.Array(Schema.Struct({ code: Schema.Int })) })
const decodeFaults = Schema.decodeUnknownOption(Faults)

/** The error codes of an answer; none if it is no list of errors. */
export const faultsIn = (body: unknown): ReadonlyArray<number> =>
  Option.match(decodeFaults(body), { onNone: () => [], onSome: ({ errors }) => errors.map(({ code }) => code) })

/** Does it say that it knows no such transaction? */
export const isNotFound = (status: number, faults: ReadonlyArray<number>): boolean =>
  status === 404 && faults.length > 0 && faults.every((code) => code === 1008004)

/** Does it say that there is no such number, or no such account? */
export const isNoSuchParty = (status: number, faults: ReadonlyArray<number>): boolean =>
  faults.some((code) => invalidNumbers.has(code)) || (status === 404 && faults.includes(1000404))

const invalidNumbers: ReadonlySet<number> = new Set([1005003, 1006503])

/** What an answer that is no transaction means for the order that was sent. */
export type Fault = Data.TaggedEnum<{
  Refused: { readonly refusal: Refusal }
  /** It was turned away for a reason of ours, not of the customer's; nothing was created. */
  TurnedAway: {}
  /** There is a transaction of this name already: what it became is to be asked. */
  Exists: {}
  /** It does not say firmly that nothing was created. */
  Unclear: {}
}>
export const Fault = Data.taggedEnum<Fault>()

const refusedAs = (refusal: Refusal) => Fault.Refused({ refusal })

/** The errors with which a transaction that is asked for is not created. DT One DVS API 1.23.0, API Error Codes. */
const faults = new Map<number, Fault>([
  // Credentials, calls a second, and the operator's own balance with DT One.
  [1000401, Fault.TurnedAway()],
  [1000429, Fault.TurnedAway()],
  [1006001, Fault.TurnedAway()],
  [1006009, Fault.TurnedAway()],
  [1005003, refusedAs("INVALID_PHONE")],
  [1006503, refusedAs("INVALID_PHONE")],
  [1003002, refusedAs("INVALID_AMOUNT")],
  // A malformed request, a product that is not in the account, and parties that this product does not serve.
  ...[1000400, 1003001, 1003003, 1005004, 1005005, 1005006, 1005503, 1006003, 1007500].map(
    (code) => [code, refusedAs("TRANSACTION_REJECTED")] as const
  ),
  ...[1007001, 1007002].map((code) => [code, Fault.Exists()] as const)
])

const firmness: ReadonlyArray<Fault["_tag"]> = ["Unclear", "Exists", "TurnedAway", "Refused"]

/**
 * What an answer that is no transaction means. Only what is documented is firm: a code that is not, or an answer in the
 * four hundreds without any, may come from anything on the way. 401 and 429 are: who is asked for a password, or told
 * to wait, has not been served. Of several errors the least firm counts.
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
