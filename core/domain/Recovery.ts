import { Data, DateTime, Duration } from "effect"
import type { Refusal } from "./Errors.ts"
import { nextAttempt } from "./NextAttempt.ts"
import { type Delivery, Verdict } from "./Sale.ts"

/** A provider has this long to answer. Contract: 8. */
export const providerTimeout = Duration.seconds(30)

/** A sale that is still PROCESSING at this age has lost the call that made it. */
export const orphanedAfter = Duration.sum(providerTimeout, Duration.seconds(30))

/** Before this age a provider that does not know a sale may still come to know it. */
const notFoundFirmAfter = Duration.minutes(15)

/** So many cycles must agree that a provider does not know a sale. */
const notFoundAgreed = 2

/** Contract: 3.1. */
const askedEvery = Duration.minutes(5)

/** When an unresolved sale is to be asked for next; in the end every five minutes. */
export const nextAsk = nextAttempt(askedEvery)

/** Clocks that are further apart than this are not merely inexact: one of them is wrong. */
const clocksApart_max = Duration.minutes(10)

/**
 * A lease, or the first time to ask, that is later than this was written by a clock that was wrong. What is ahead by
 * less has to be waited for: else two recoveries whose clocks differ would each take what the other has.
 */
export const latestTrusted = (now: DateTime.Utc, lease: Duration.Duration): DateTime.Utc =>
  DateTime.addDuration(now, Duration.sum(lease, clocksApart_max))

/** What a provider says when asked about an xid. Anything that is not firm is Unknown. */
export type StatusAnswer<Proof = Delivery> = Data.TaggedEnum<{
  Delivered: { readonly delivery: Proof }
  Refused: { readonly refusal: Refusal }
  NotFound: {}
  /** Nobody was asked: there is no provider, it takes no calls, or this one did not reach it. */
  NotAsked: {}
  Unknown: {}
}>
interface StatusAnswerOf extends Data.TaggedEnum.WithGenerics<1> {
  readonly taggedEnum: StatusAnswer<this["A"]>
}
export const StatusAnswer = Data.taggedEnum<StatusAnswerOf>()

/** What recovery concludes, and how many firm not-founds in a row it has then seen. */
export interface Conclusion {
  readonly verdict: Verdict
  readonly notFound: number
}

/** What recovery has to remember of an operation that it asks about. */
export interface Asked {
  readonly createdAt: DateTime.Utc
  /** Firm not-founds in a row so far. */
  readonly notFound: number
  /** When it was to be asked about, as it was claimed; null if at any time. */
  readonly askAt: DateTime.Utc | null
}

/**
 * Counts another not-found; one that is firm, and that enough cycles agree on, is a denial. Null where it is no cycle's:
 * an operator may ask at any moment, and two not-founds of one moment may be those of a provider that has just lost its
 * memory. What was counted by a clock that was wrong is not waited for, which may take years, and begins anew.
 */
export const countNotFound = ({ askAt, createdAt, notFound }: Asked, now: DateTime.Utc) => {
  const firm = Duration.isGreaterThanOrEqualTo(DateTime.distance(createdAt, now), notFoundFirmAfter)
  if (firm && notFound > 0 && askAt !== null && DateTime.isGreaterThan(askAt, now)) {
    return DateTime.isGreaterThan(askAt, latestTrusted(now, askedEvery)) ? { notFound: 0, denied: false } : null
  }
  const counted = firm ? notFound + 1 : 0
  return { notFound: counted, denied: counted >= notFoundAgreed }
}

/** A count of not-founds, and the claim upon which it counts. */
export interface Count {
  readonly notFound: number
  /** When the operation was claimed; undefined in a settlement that does not tell. */
  readonly claimedAt?: DateTime.Utc | undefined
}

/** What an operation has counted, and when it was last claimed. */
interface Counted {
  readonly notFound: number
  readonly askedAt: DateTime.Utc | null
}

/**
 * Is a conclusion that counts a not-found still the next after what the operation has counted? Whoever has outlived his
 * claim does not know what another has heard since; the count alone may be the same again. The ledger in memory asks
 * this, and the one in Postgres as it does.
 */
export const countsOn = ({ claimedAt, notFound }: Count, { askedAt, notFound: known }: Counted): boolean => {
  const isOfLastClaim = claimedAt === undefined || (askedAt !== null && DateTime.Equivalence(claimedAt, askedAt))
  return notFound === 0 || (notFound === known + 1 && isOfLastClaim)
}

/**
 * Concludes from what the provider says of an unresolved sale. Not found is a denial only when the sale is old enough
 * and two cycles agree; a timeout never is. Contract: 3.1.
 *
 * @param denial what a denial that follows from that is called.
 * @returns null where nothing is to be written, because nobody took the question or it came too early: to write that
 * the sale is held would reset its count of not-founds, which another process may have raised.
 */
export const conclude = (sale: Asked, answer: StatusAnswer, now: DateTime.Utc, denial: Refusal): Conclusion | null =>
  StatusAnswer.$match(answer, {
    Delivered: ({ delivery }): Conclusion | null => ({ verdict: Verdict.Confirm({ delivery }), notFound: 0 }),
    Refused: ({ refusal }) => ({ verdict: Verdict.Release({ refusal }), notFound: 0 }),
    NotAsked: () => (sale.notFound > 0 ? null : { verdict: Verdict.Hold(), notFound: 0 }),
    Unknown: () => ({ verdict: Verdict.Hold(), notFound: 0 }),
    NotFound: () => {
      const counted = countNotFound(sale, now)
      if (counted === null) return null
      const { denied, notFound } = counted
      return { verdict: denied ? Verdict.Release({ refusal: denial }) : Verdict.Hold(), notFound }
    }
  })
