import { Cache, Context, DateTime, Duration, Effect, Exit, Layer } from "effect"
import type { Environment } from "../domain/Company.ts"
import { dayOf, nextDay, startOfDay } from "../domain/LocalTime.ts"
import { type ComparedDays, compareDays, type HourOfService, type Panorama } from "../domain/Panorama.ts"
import { Audit } from "../ports/Audit.ts"
import { PanoramaReads } from "../ports/PanoramaReads.ts"

/** Shortest time for which a panorama is reused, so that ten consoles that refresh it cost as much as one console. */
const panoramaTtl_min = Duration.seconds(5)

/**
 * How long a panorama is reused, as a multiple of the time that the read took. So panoramas take at most a fiftieth of one
 * core, however many sales a day has, and however busy the database is.
 */
const rest_min = 50

/** How long the results of the suppliers since midnight are reused. They are the slowest read and change slowly. */
const dayResultsTtl = Duration.minutes(1)

/** How long the sales of a past day are reused. Reversals and late settlements still change them. */
const pastDayTtl = Duration.minutes(10)

/** The lifetime of a cached result: `ttl` for a success, zero for a failure. */
const reusedFor =
  (ttl: Duration.Duration) =>
  <A, E>(exit: Exit.Exit<A, E>): Duration.Duration =>
    Exit.isSuccess(exit) ? ttl : Duration.zero

const reusedByCost = <A, E>(exit: Exit.Exit<readonly [Duration.Duration, A], E>): Duration.Duration =>
  Exit.isSuccess(exit) ? Duration.max(panoramaTtl_min, Duration.times(exit.value[0], rest_min)) : Duration.zero

/** Maximum number of cached results: one for each environment and, at midnight, for each of two days. */
const capacity = 4

const cached = <A>(ttl: Duration.Duration, lookup: (environment: Environment, day: string) => Effect.Effect<A>) =>
  Effect.map(
    Cache.makeWith((key: string) => lookup(...(JSON.parse(key) as [Environment, string])), {
      capacity,
      timeToLive: reusedFor(ttl)
    }),
    (cache) => (environment: Environment, day: string) => Cache.get(cache, JSON.stringify([environment, day]))
  )

const wholeDay = (day: string) => ({ since: startOfDay(day), until: startOfDay(nextDay(day)) })

const salesUntil = (
  before: ReadonlyArray<HourOfService>,
  hour: number,
  ofHour: ReadonlyArray<HourOfService>
): ReadonlyArray<HourOfService> => [...before.filter((row) => row.hour < hour), ...ofHour]

const make = Effect.gen(function* () {
  const reads = yield* PanoramaReads
  const { last } = yield* Audit

  const salesOfPastDay = yield* cached(pastDayTtl, (environment, day) => reads.sales(environment, wholeDay(day)))
  const resultsOfDay = yield* cached(dayResultsTtl, (environment, day) => reads.suppliers(environment, wholeDay(day)))

  const compared = Effect.fnUntraced(function* (environment: Environment, now: DateTime.Utc) {
    const day = dayOf(now)
    const aWeekAgo = DateTime.subtract(now, { days: 7 })
    const dayBefore = dayOf(aWeekAgo)
    const hour = Math.floor(Duration.toHours(DateTime.distance(startOfDay(day), now)))
    const before = yield* salesOfPastDay(environment, dayBefore)
    const ofHour = yield* reads.sales(environment, {
      since: DateTime.add(startOfDay(dayBefore), { hours: hour }),
      until: aWeekAgo
    })
    const today = yield* reads.sales(environment, wholeDay(day))
    return { day, today, dayBefore, before, beforeUntilNow: salesUntil(before, hour, ofHour) } satisfies ComparedDays
  })

  const read = Effect.fn("ReadPanorama.read")(function* (environment: Environment) {
    const now = yield* DateTime.now
    return {
      at: now,
      environment,
      sales: compareDays(yield* compared(environment, now)),
      suppliers: {
        today: yield* resultsOfDay(environment, dayOf(now)),
        lastHour: yield* reads.suppliers(environment, { since: DateTime.subtract(now, { hours: 1 }), until: now })
      },
      open: yield* reads.open(environment, now),
      audit: yield* last
    } satisfies Panorama
  })

  const panoramas = yield* Cache.makeWith((environment: Environment) => Effect.timed(read(environment)), {
    capacity,
    timeToLive: reusedByCost
  })
  const shared = (environment: Environment) => Effect.map(Cache.get(panoramas, environment), ([, panorama]) => panorama)

  return Panoramas.of({
    read: Effect.fnUntraced(function* (given) {
      if (given !== undefined) return yield* shared(given)
      const used = yield* reads.environments
      return yield* shared(used.includes("production") ? "production" : "development")
    })
  })
})

/** The panorama of a process. All consoles of the process share its results for a few seconds. */
export class Panoramas extends Context.Service<
  Panoramas,
  {
    /** Without an environment: production, or development if no company is in production. */
    readonly read: (environment: Environment | undefined) => Effect.Effect<Panorama>
  }
>()("saldo/core/Panoramas") {
  static readonly layer = Layer.effect(Panoramas, make)
}
