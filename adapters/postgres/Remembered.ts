import { Duration, Effect } from "effect"
import { cached_max } from "./CacheInvalidation.ts"

const age_max_ns = Duration.toNanosUnsafe(cached_max)

/** An answer, and how long it may be told. */
interface Known<A> {
  readonly answer: Effect.Effect<A>
  readonly until_ns: bigint
}

/** V8 cuts a text out of another by pointing into it: the key would keep its header in memory, and with it the secret. */
const copied = (text: string): string => Buffer.from(text).toString()

/**
 * Tells for five seconds again what has been read. The seconds are those of the time that nobody sets. Effect's Cache
 * keeps an order of use, for which each call deletes its key and sets it again: a twentieth of what a balance takes
 * beside HTTP and the database. Here an answer keeps its place until it is read anew.
 *
 * Whoever asks for the same meanwhile reads it too, and so sees what was committed before he asked. Of several readings
 * the one that began last is kept, whichever ends last.
 *
 * @param capacity so many answers are kept; the oldest makes room.
 */
export const remembered = <A>(read: (key: string) => Effect.Effect<A>, capacity: number) => {
  const known = new Map<string, Known<A>>()
  // What was being read when all was forgotten may be from before.
  let forgotten = 0

  const keep = (key: string, read: Known<A>): void => {
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
