import { DateTime, Duration } from "effect"
import type { Environment } from "./Company.ts"
import { PhoneLimited } from "./InsuranceErrors.ts"
import type { Phone } from "./Person.ts"

/** A limit of messages to one phone, over all companies and insurances. Contract: 8. */
interface PhoneLimit {
  readonly period: PhoneLimited["period"]
  readonly length: Duration.Duration
  readonly messages_max: number
}

/**
 * The limits of messages to one phone. A caller may enter the phone of a stranger, so the number of messages must be
 * limited.
 */
export const phoneLimits: ReadonlyArray<PhoneLimit> = [
  { period: "hora", length: Duration.hours(1), messages_max: 5 },
  { period: "dia", length: Duration.days(1), messages_max: 10 }
]

/** How many of a phone's latest messages the limits depend on. */
export const messagesCounted = Math.max(...phoneLimits.map(({ messages_max }) => messages_max))

/** After this time a message no longer counts. */
export const messageCountedFor = phoneLimits.map(({ length }) => length).reduce(Duration.max)

/** Whether messages of an environment count towards the limits. The simulator sends no messages. */
export const countsMessages = (environment: Environment): boolean => environment === "production"

/** The input of the keyed hash that is stored with the times of a phone's messages. */
export const phoneMaterial = (phone: Phone): string => `telefono:${phone}`

/**
 * Returns the limit that forbids another message now, or null. If several limits forbid it, returns the limit with the
 * longest waiting time. The SQL statement that queues a message repeats this rule.
 *
 * @param queued when the phone's latest messages were queued, the latest first.
 */
export const phoneLimitReached = (queued: ReadonlyArray<DateTime.Utc>, now: DateTime.Utc): PhoneLimited | null => {
  const reached = phoneLimits.flatMap(({ length, messages_max, period }) => {
    const oldest = queued[messages_max - 1]
    const free = oldest === undefined ? now : DateTime.addDuration(oldest, length)
    if (DateTime.isLessThanOrEqualTo(free, now)) return []
    const retryAfter_s = Math.ceil(Duration.toSeconds(DateTime.distance(now, free)))
    return [new PhoneLimited({ period, messages_max, retryAfter_s })]
  })
  return reached.toSorted((one, other) => other.retryAfter_s - one.retryAfter_s)[0] ?? null
}
