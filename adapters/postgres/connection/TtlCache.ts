import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Exit, Stream } from "effect"
import { directoryAge_max } from "../../../core/domain/Cell.ts"
import { notificationsOf } from "./Notifications.ts"

/** Clock adjustments below this limit are routine (NTP) and are ignored. */
const clockAdjustment_max_ms = 1_000

/**
 * Wraps reads of a cache. Invalidates the cache before the first read after the wall clock was set back. Cached values
 * expire by the wall clock. Without the invalidation, they would live longer by as much as the clock was set back.
 */
export const invalidatedOnSetBack = (invalidate: Effect.Effect<void>) => {
  // How far the wall clock was ahead of the monotonic clock at the last read.
  let ahead_ms = Number.NEGATIVE_INFINITY
  return <A, E, R>(cached: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((clock) => {
      const before_ms = ahead_ms
      ahead_ms = clock.currentTimeMillisUnsafe() - Number(clock.monotonicTimeNanosUnsafe()) / 1e6
      return ahead_ms < before_ms - clockAdjustment_max_ms ? Effect.andThen(invalidate, cached) : cached
    })
}

/** How long a result is cached. Failures are not cached, because later callers would receive them too. */
export const timeToLive = <A, E>(exit: Exit.Exit<A, E>): Duration.Duration =>
  Exit.isSuccess(exit) ? directoryAge_max : Duration.zero

/**
 * Invalidates a cache on each notification of the channel, as long as the scope is open. Also invalidates it when the
 * listening connection is lost and when it is back, because notifications may have been missed.
 */
export const invalidateOn = Effect.fnUntraced(function* (channel: string, invalidate: Effect.Effect<void>) {
  const sql = yield* PgClient.PgClient
  yield* Effect.forkScoped(Stream.runForEach(notificationsOf(sql, channel), () => invalidate))
})

const age_max_ns = Duration.toNanosUnsafe(directoryAge_max)

/** A cached value and its expiry. */
interface CachedAnswer<A> {
  readonly answer: Effect.Effect<A>
  readonly until_ns: bigint
}

/**
 * Copies a string. V8 represents a substring as a reference into the original, so a cached key would keep the whole
 * header with the secret in memory.
 */
const copied = (text: string): string => Buffer.from(text).toString()

/**
 * Caches values for five seconds, measured on the monotonic clock. Replaces Effect's Cache, which deletes and sets the
 * key on every read to keep its order. This takes 5 % of the time of a balance request, without HTTP and database.
 *
 * Concurrent reads of a missing key are not shared. Each read sees everything that was committed before it began. Of
 * several reads, the cache keeps the result of the read that began last, even if another read ends later.
 *
 * @param capacity maximum number of values. The oldest is evicted.
 */
export const makeTtlCache = <A>(read: (key: string) => Effect.Effect<A>, capacity: number) => {
  const known = new Map<string, CachedAnswer<A>>()
  // Number of invalidations. A read that began before an invalidation may be outdated and is not cached.
  let forgotten = 0

  const keep = (key: string, read: CachedAnswer<A>): void => {
    if ((known.get(key)?.until_ns ?? 0n) > read.until_ns) return
    known.delete(key)
    const [oldest] = known.size < capacity ? [] : known.keys()
    if (oldest !== undefined) known.delete(oldest)
    known.set(copied(key), read)
  }

  const readAnew = (key: string, now_ns: bigint): Effect.Effect<A> => {
    const before = forgotten
    return Effect.tap(read(key), (answer) =>
      Effect.sync(() => {
        if (before === forgotten) keep(key, { answer: Effect.succeed(answer), until_ns: now_ns + age_max_ns })
      })
    )
  }

  const get = (key: string): Effect.Effect<A> =>
    Effect.clockWith((clock) => {
      const now_ns = clock.monotonicTimeNanosUnsafe()
      const found = known.get(key)
      return found !== undefined && now_ns < found.until_ns ? found.answer : readAnew(key, now_ns)
    })

  const forget = Effect.sync(() => {
    forgotten += 1
    known.clear()
  })

  return { get, forget }
}
