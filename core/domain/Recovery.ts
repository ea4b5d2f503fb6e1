import { Data, DateTime, Duration } from "effect"
import type { Refusal } from "./Errors.ts"
import { type Delivery, Verdict } from "./Sale.ts"

/** Ages of an operation at which the first retries are due. Later retries follow a regular interval. */
const attemptedAt = [5, 15, 30, 60].map(Duration.seconds)

/** When the next retry of an operation is due: at the ages above, then at the interval `every`. */
export const nextAttempt =
  (every: Duration.Duration) =>
  (createdAt: DateTime.Utc, now: DateTime.Utc): DateTime.Utc => {
    const age = DateTime.distance(createdAt, now)
    const next = attemptedAt.find((mark) => Duration.isGreaterThan(mark, age))
    return next === undefined ? DateTime.addDuration(now, every) : DateTime.addDuration(createdAt, next)
  }

/** How long a provider may take to answer. Contract: 8. */
export const providerTimeout = Duration.seconds(30)

/** Age of a sale in PROCESSING at which its call has certainly ended. From this age on, recovery takes the sale over. */
export const orphanedAfter = Duration.sum(providerTimeout, Duration.seconds(30))

/** Age of a sale from which "not found" counts as firm. The provider may still be recording a younger sale. */
const notFoundFirmAfter = Duration.minutes(15)

/** How many consecutive firm "not found" answers release a sale. */
const notFoundAgreed = 2

/** Regular interval between status questions. Contract: 3.1. */
const askedEvery = Duration.minutes(5)

/** When recovery asks about an unresolved sale next. */
export const nextAsk = nextAttempt(askedEvery)

/** The largest accepted clock difference between servers. Beyond it one of the clocks is wrong. */
const clocksApart_max = Duration.minutes(10)

/**
 * The latest plausible time of a lease or of a next question. A later time was written by a wrong clock and is ignored.
 * An earlier time is respected, because otherwise two servers with slightly different clocks would claim the same sale.
 */
export const latestTrusted = (now: DateTime.Utc, lease: Duration.Duration): DateTime.Utc =>
  DateTime.addDuration(now, Duration.sum(lease, clocksApart_max))

/**
 * A provider's answer to a status question about an xid. A firm answer states the outcome beyond doubt. Every answer
 * that is not firm is Unknown.
 */
export type StatusAnswer<Proof = Delivery> = Data.TaggedEnum<{
  Delivered: { readonly delivery: Proof }
  Refused: { readonly refusal: Refusal }
  /** The provider delivered the sale and later took it back by itself. */
  TakenBack: {}
  NotFound: {}
  /** The question was not sent: there is no provider, its circuit is open, or the connection failed. */
  NotAsked: {}
  Unknown: {}
}>
interface StatusAnswerOf extends Data.TaggedEnum.WithGenerics<1> {
  readonly taggedEnum: StatusAnswer<this["A"]>
}
export const StatusAnswer = Data.taggedEnum<StatusAnswerOf>()

/** The verdict of a recovery cycle, and the number of firm "not found" answers in a row. */
export interface Conclusion {
  readonly verdict: Verdict
  readonly notFound: number
}

/** The stored facts that a recovery cycle needs about an operation. */
export interface Asked {
  readonly createdAt: DateTime.Utc
  /** Firm "not found" answers in a row so far. */
  readonly notFound: number
  /** The time at which this question was due, as stored when the operation was claimed. Null if it was not scheduled. */
  readonly askAt: DateTime.Utc | null
}

/**
 * Counts a "not found" answer, and decides whether enough consecutive firm answers deny the sale.
 *
 * Two answers within seconds may come from a provider that has just lost its data, and an operator may ask at any
 * moment. Therefore a second answer before the scheduled time `askAt` does not count: the result is null. If a wrong
 * clock wrote `askAt`, the count restarts at zero.
 */
export const countNotFound = ({ askAt, createdAt, notFound }: Asked, now: DateTime.Utc) => {
  const firm = Duration.isGreaterThanOrEqualTo(DateTime.distance(createdAt, now), notFoundFirmAfter)
  if (firm && notFound > 0 && askAt !== null && DateTime.isGreaterThan(askAt, now)) {
    return DateTime.isGreaterThan(askAt, latestTrusted(now, askedEvery)) ? { notFound: 0, denied: false } : null
  }
  const counted = firm ? notFound + 1 : 0
  return { notFound: counted, denied: counted >= notFoundAgreed }
}

/** A count of "not found" answers, and the claim in which the last answer arrived. */
export interface Count {
  readonly notFound: number
  /** When the operation was claimed. Undefined for settlements outside recovery. */
  readonly claimedAt?: DateTime.Utc | undefined
}

/** The stored count of an operation, and the time of its last claim. */
interface StoredCount {
  readonly notFound: number
  readonly askedAt: DateTime.Utc | null
}

/**
 * Whether a conclusion that counts a "not found" may still be written. Its count must be the stored count plus one, and
 * it must come from the operation's last claim. A recovery cycle with an expired lease does not know the answer that a
 * later cycle received, even if the stored count has its old value again. The in-memory ledger calls this function, and
 * the SQL of the Postgres ledger repeats the rule.
 */
export const countsOn = ({ claimedAt, notFound }: Count, { askedAt, notFound: known }: StoredCount): boolean => {
  const isOfLastClaim = claimedAt === undefined || (askedAt !== null && DateTime.Equivalence(claimedAt, askedAt))
  return notFound === 0 || (notFound === known + 1 && isOfLastClaim)
}

/**
 * Decides what to write after the provider's answer about an unresolved sale. "Not found" is a refusal only when the
 * sale is old enough and two cycles agree. A timeout is never a refusal. Contract: 3.1.
 *
 * @param denial the refusal to record when the provider denies the sale.
 * @returns null when nothing should be written, because the question was not sent or came before its scheduled time.
 * Writing a hold would then reset the count of "not found" answers, which another process may have raised.
 */
export const conclude = (sale: Asked, answer: StatusAnswer, now: DateTime.Utc, denial: Refusal): Conclusion | null =>
  StatusAnswer.$match(answer, {
    Delivered: ({ delivery }): Conclusion | null => ({ verdict: Verdict.Confirm({ delivery }), notFound: 0 }),
    Refused: ({ refusal }) => ({ verdict: Verdict.Release({ refusal }), notFound: 0 }),
    // The provider delivered and reversed the sale, so operators must decide who gets the money.
    TakenBack: () => ({ verdict: Verdict.Hold(), notFound: 0 }),
    NotAsked: () => (sale.notFound > 0 ? null : { verdict: Verdict.Hold(), notFound: 0 }),
    Unknown: () => ({ verdict: Verdict.Hold(), notFound: 0 }),
    NotFound: () => {
      const counted = countNotFound(sale, now)
      if (counted === null) return null
      const { denied, notFound } = counted
      return { verdict: denied ? Verdict.Release({ refusal: denial }) : Verdict.Hold(), notFound }
    }
  })
