import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Amount } from "../../core/domain/Money.ts"
import { xidPrefixPattern } from "../../core/domain/Xid.ts"

/** Text that may be stored, printed and logged: up to so many characters, no control characters, no half surrogates. */
export const text = (length_max: number) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${length_max}}$`, "u")))

/** No two of them have the same name: a list in which two had could not be chosen from. */
export const distinct =
  <A>(nameOf: (item: A) => string) =>
  (items: ReadonlyArray<A>): boolean =>
    new Set(items.map(nameOf)).size === items.length

/** A word for programs, never prose. */
export const word = Schema.String.check(Schema.isPattern(/^[a-z0-9_]{1,64}$/u))

/** What names a sale, a reversal or a policy towards a gateway. Contract: 2.5. */
export const Xid = Schema.String.check(
  Schema.isPattern(new RegExp(`^${xidPrefixPattern}-[0-9a-f]{24}$`, "u"))
).annotate({
  identifier: "Xid",
  description: "Saldo's name for the operation. The same xid is the same operation, however often it comes.",
  examples: ["RD-5f2b8c0d9e4a7163b8f0a1c2"]
})

/** An instant of ours, in UTC. */
export const Instant = Schema.String.annotate({
  identifier: "Instant",
  description: "ISO 8601, in UTC.",
  format: "date-time",
  examples: ["2026-03-02T14:30:00.000Z"]
})

/** Money on the wire of a gateway. */
export const AmountCentavos = Amount.annotate({
  identifier: "AmountCentavos",
  description: "Whole centavos: 10000 are 100 pesos."
})

export const Currency = Schema.Literal("DOP")

const outcome = <const Outcome extends string>(name: Outcome) => Schema.Literal(name)

/** The gateway did nothing, and will do nothing because of this request. */
export const NotProcessed = Schema.Struct({
  outcome: outcome("not_processed"),
  xid: Schema.optionalKey(Xid),
  reason: Schema.optionalKey(word.annotate({ description: "Why, for the operator's log: `stale_timestamp`." }))
}).annotate({
  identifier: "NotProcessed",
  description:
    "Nothing was done by this name, by this request or an earlier one, and nothing will be. It may come again."
})
export type NotProcessed = typeof NotProcessed.Type

/** The gateway has never accepted an operation of that name. */
export const NotFound = Schema.Struct({ outcome: outcome("not_found"), xid: Xid }).annotate({
  identifier: "NotFound",
  description: "The gateway has accepted no operation of that xid."
})
export type NotFound = typeof NotFound.Type

/** The gateway knows another operation by that name. */
export const Conflict = Schema.Struct({ outcome: outcome("conflict"), xid: Xid }).annotate({
  identifier: "Conflict",
  description: "The gateway has accepted an operation of that xid with other contents. It did nothing."
})
export type Conflict = typeof Conflict.Type

/** How a gateway says that it did nothing. Whatever else it answers below 500 is not believed to mean that. */
export const notProcessed = [400, 401, 403, 413, 422, 429].map((status) =>
  NotProcessed.pipe(HttpApiSchema.status(status))
)
export const notFound = NotFound.pipe(HttpApiSchema.status(404))
export const conflict = Conflict.pipe(HttpApiSchema.status(409))
