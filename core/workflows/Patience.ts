import { Clock, Duration, Effect, Fiber, Scope } from "effect"
import { makeBag } from "./Bag.ts"

interface Awaited {
  readonly due_ns: bigint
  readonly act: Effect.Effect<void>
  readonly remove: () => boolean
}

/**
 * Acts upon what takes too long. Nearly nothing does, so no work has a timer and a fiber of its own: as all have the same
 * time, one fiber sleeps until the oldest of those that still go on is due.
 *
 * @param patience how long that is.
 * @returns what acts once the patience has passed, and gives what calls that off.
 */
export const makePatience = Effect.fnUntraced(function* (patience: Duration.Duration) {
  // Made now, so that it outlives whatever is added to the outer one from here on: a drain may have callers to answer.
  const scope = yield* Scope.fork(yield* Effect.scope)
  const services = yield* Effect.context<never>()
  const patience_ns = Duration.toNanosUnsafe(patience)
  const awaited = makeBag<Awaited>()
  let isWatched = false

  /** How long until somebody is due; null when nobody waits, and then nobody watches either. */
  const untilNext = Effect.map(Clock.monotonicTimeNanos, (now_ns) => {
    const first = awaited.all().reduce<bigint | null>((least_ns, { due_ns }) => {
      return least_ns === null || due_ns < least_ns ? due_ns : least_ns
    }, null)
    isWatched = first !== null
    return first === null ? null : Duration.nanos(first - now_ns)
  })

  // While one is acted upon, another may be called off.
  const actUponLate = Effect.flatMap(Clock.monotonicTimeNanos, (now_ns) =>
    Effect.forEach(
      awaited.all().filter(({ due_ns }) => due_ns <= now_ns),
      ({ act, remove }) => (remove() ? Effect.exit(act) : Effect.void),
      { discard: true }
    )
  )

  const watch = Effect.gen(function* () {
    for (let rest = yield* untilNext; rest !== null; rest = yield* untilNext) {
      yield* Effect.sleep(rest)
      yield* actUponLate
    }
  })

  return (act: Effect.Effect<void>): Effect.Effect<() => void> =>
    Effect.clockWith((clock) => {
      const due_ns = clock.monotonicTimeNanosUnsafe() + patience_ns
      const remove = awaited.add({ act, due_ns, remove: () => remove() })
      if (!isWatched) {
        isWatched = true
        // Not as a child of whoever comes first: as long as others come, it would keep all that one's request.
        Fiber.runIn(Effect.runForkWith(services)(watch), scope)
      }
      return Effect.succeed(remove)
    })
})
