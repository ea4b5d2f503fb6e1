import { DateTime, Duration, Schema } from "effect"
import { Hex } from "effect/encoding"
import type { Entry } from "./Account.ts"
import { CompanyId, TransactionId } from "./Ids.ts"
import { nextDay, startOfDay } from "./LocalTime.ts"

/** A number of movements or sales, and their sum in centavos. */
export const CountedAmount = Schema.Struct({ count: Schema.Int, amount: Schema.Int })
export type CountedAmount = typeof CountedAmount.Type

/**
 * How a sale counts in the closing of a day. `SUCCESS`: charged on this day. `FAILED`: ended on this day without a
 * charge. `PENDING`: unresolved at the end of the day. `REVERSED`: its amount was returned on this day; the charge
 * counts as SUCCESS on the day of the charge.
 */
export const ClosingStatus = Schema.Literals(["SUCCESS", "FAILED", "PENDING", "REVERSED"])
export type ClosingStatus = typeof ClosingStatus.Type

/** The sales of a service with one status in a closing. */
export const ServiceFigures = Schema.Struct({
  serviceId: Schema.Int,
  name: Schema.String,
  status: ClosingStatus,
  ...CountedAmount.fields
})
export type ServiceFigures = typeof ServiceFigures.Type

/** A reversal of a sale that was charged on an earlier day. */
const EarlierReversal = Schema.Struct({
  transactionId: TransactionId,
  /** The local day of the charge. */
  day: Schema.String,
  amount: Schema.Int
})

/** Counts and sums of a company's local day, computed from the ledger. The amounts of sales are positive. */
export const DayFigures = Schema.Struct({
  deposits: CountedAmount,
  sales: CountedAmount,
  reversals: CountedAmount,
  /** The sum may be negative. */
  adjustments: CountedAmount,
  /** One entry for each service and status. */
  services: Schema.Array(ServiceFigures),
  earlierReversals: Schema.Array(EarlierReversal),
  /** The sales that were unresolved at the end of the day before, read again by their ids. */
  carried: CountedAmount,
  /** Ids of the sales that are unresolved at the end of the day, ascending. */
  pending: Schema.Array(TransactionId),
  /** The running balance of the ledger at the end of the day. */
  ledger: Schema.Int,
  /** The highest id of the entries up to the end of the day. */
  lastEntryId: Schema.Int,
  /** SHA-256 over the entries of the day (`entriesDigestOf`). */
  entriesDigest: Schema.String
})
export type DayFigures = typeof DayFigures.Type

/** The content of a closing. The fields are in the order of the sealed text. */
export const ClosingContent = Schema.Struct({
  companyId: CompanyId,
  day: Schema.String,
  /** The seal of the day before. Null for the first closing of a company. */
  previousSeal: Schema.NullOr(Schema.String),
  closedAt: Schema.DateTimeUtcFromString,
  opening: Schema.Int,
  deposits: CountedAmount,
  sales: CountedAmount,
  reversals: CountedAmount,
  adjustments: CountedAmount,
  closing: Schema.Int,
  /** The sales that were unresolved at the end of the day before. */
  heldBefore: CountedAmount,
  /** The sales that are unresolved at the end of the day. */
  held: CountedAmount,
  services: Schema.Array(ServiceFigures),
  earlierReversals: Schema.Array(EarlierReversal),
  pending: Schema.Array(TransactionId),
  lastEntryId: Schema.Int,
  entriesDigest: Schema.String
})
export type ClosingContent = typeof ClosingContent.Type

const TextOfContent = Schema.fromJsonString(ClosingContent)

/** The text of a closing's content. The seal of the closing is the SHA-256 of this text. */
export const sealedText = Schema.encodeSync(TextOfContent)

/** Parses the sealed text of a closing. */
export const contentOf = Schema.decodeUnknownSync(TextOfContent)

/** A stored closing: the sealed text, its content, and the seal as 64 hex digits. */
export interface Closing {
  readonly text: string
  readonly content: ClosingContent
  readonly seal: string
}

/** How long after midnight a server waits before it closes the day. Servers with a slow clock need this time. */
export const closingDelay = Duration.minutes(10)

/** Whether a local day ended at least `delay` ago. */
export const isOver = (day: string, now: DateTime.Utc, delay: Duration.Duration = Duration.zero): boolean =>
  DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(startOfDay(nextDay(day)), delay))

const none: CountedAmount = { count: 0, amount: 0 }

/** The number and the amount of the sales with one status, summed over all services. */
export const sumOf = (services: ReadonlyArray<ServiceFigures>, status: ClosingStatus): CountedAmount =>
  services
    .filter((each) => each.status === status)
    .reduce((sum, each) => ({ count: sum.count + each.count, amount: sum.amount + each.amount }), none)

const inOrder = (services: ReadonlyArray<ServiceFigures>): ReadonlyArray<ServiceFigures> =>
  services.toSorted(
    (one, other) =>
      one.serviceId - other.serviceId ||
      ClosingStatus.literals.indexOf(one.status) - ClosingStatus.literals.indexOf(other.status)
  )

/** The content of the closing of a day, from its figures and the closing of the day before. */
export const closingContent = (
  { companyId, day, closedAt }: Pick<ClosingContent, "companyId" | "day" | "closedAt">,
  previous: Closing | null,
  { ledger, carried: _, ...figures }: DayFigures
): ClosingContent => {
  const opening = previous?.content.closing ?? 0
  const services = inOrder(figures.services)
  return {
    ...figures,
    companyId,
    day,
    closedAt,
    previousSeal: previous?.seal ?? null,
    opening,
    closing: ledger,
    heldBefore: previous?.content.held ?? none,
    held: sumOf(services, "PENDING"),
    services
  }
}

/** A part of a closing with inconsistent totals. Amounts are centavos. */
export const ClosingProblem = Schema.Struct({
  part: Schema.Literals(["balance", "sales", "reversals", "carried"]),
  expected: CountedAmount,
  found: CountedAmount
})
export type ClosingProblem = typeof ClosingProblem.Type

const sameAs = (one: CountedAmount, other: CountedAmount): boolean =>
  one.count === other.count && one.amount === other.amount

/**
 * The parts of a closing with inconsistent totals. The opening balance plus the entries must equal the
 * running balance of the ledger. The totals by service must equal the entries of sales and reversals. Each
 * unresolved sale of the day before must be found again.
 */
export const problemsOf = (
  { adjustments, closing, deposits, heldBefore, opening, reversals, sales, services }: ClosingContent,
  { carried }: Pick<DayFigures, "carried">
): ReadonlyArray<ClosingProblem> => {
  const count = deposits.count + sales.count + reversals.count + adjustments.count
  const moved = deposits.amount - sales.amount + reversals.amount + adjustments.amount
  const compared: ReadonlyArray<ClosingProblem> = [
    { part: "balance", expected: { count, amount: opening + moved }, found: { count, amount: closing } },
    { part: "sales", expected: sales, found: sumOf(services, "SUCCESS") },
    { part: "reversals", expected: reversals, found: sumOf(services, "REVERSED") },
    { part: "carried", expected: heldBefore, found: carried }
  ]
  return compared.filter(({ expected, found }) => !sameAs(expected, found))
}

/** Why a closing does not continue the closing of the day before. `gap`: the closing of the day before is missing. */
export type ChainFault = "seal" | "gap" | "previous seal" | "opening"

/** The fault of a closing that follows `previous`. Null if the closing has no fault. */
export const chainFault = (
  { content, seal, text }: Closing,
  previous: Closing | null,
  sha256Hex: (text: string) => string
): ChainFault | null => {
  if (sha256Hex(text) !== seal) return "seal"
  if (previous !== null && nextDay(previous.content.day) !== content.day) return "gap"
  if (content.previousSeal !== (previous?.seal ?? null)) return "previous seal"
  return content.opening === (previous?.content.closing ?? 0) ? null : "opening"
}

/** Number of consecutive ids in a chunk. The entries of a chunk are hashed together. */
const chunkLength = 1_000

const lineOf = ({ amount, balance, createdAt, id, reference, transactionId, type }: Entry): string =>
  [id, type, amount, balance, transactionId ?? 0, Hex.encode(reference ?? ""), DateTime.toEpochMillis(createdAt)].join(
    "|"
  )

/**
 * The digest of a day's entries, ascending by id: SHA-256 over the digests of their chunks. Because of the chunks, a
 * database hashes only a thousand of a million entries at a time. sql/functions/closing.sql has the same rule.
 */
export const entriesDigestOf = (entries: ReadonlyArray<Entry>, sha256Hex: (text: string) => string): string => {
  const chunks = Map.groupBy(entries, ({ id }) => Math.floor(id / chunkLength))
  return sha256Hex(Array.from(chunks.values(), (chunk) => sha256Hex(chunk.map(lineOf).join("\n"))).join(""))
}
