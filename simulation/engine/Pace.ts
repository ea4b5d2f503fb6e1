import { type Clock, Duration, Effect, type Scheduler } from "effect"
import type { Incarnation } from "./Incarnation.ts"
import type { World } from "./World.ts"

/** Pauses a process, as swapping or the migration of a virtual machine does. */
export const pause = (world: World, incarnation: Incarnation, for_ms: number): void => {
  if (incarnation.held !== null || incarnation.dead) return
  incarnation.held = []
  world.after(for_ms, null, () => {
    const held = incarnation.held ?? []
    incarnation.held = null
    for (const event of held) world.enter(event)
  })
}

/** Suspends the running fiber for the given time. */
export const travel = (world: World, incarnation: Incarnation, for_ms: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const arrival = world.after(for_ms, incarnation, () => resume(Effect.void))
    return Effect.sync(() => {
      arrival.cancelled = true
    })
  })

/** The clock of a process. Its wall clock may be wrong; its monotonic clock runs true. */
export const clockOf = (world: World, epoch_ms: number, incarnation: Incarnation): Clock.Clock => {
  const wall_ms = () => epoch_ms + world.now_ms + incarnation.offset_ms
  const wall_ns = () => BigInt(wall_ms()) * 1_000_000n
  const monotonic_ns = () => BigInt(world.now_ms) * 1_000_000n
  return {
    currentTimeMillisUnsafe: wall_ms,
    currentTimeMillis: Effect.sync(wall_ms),
    currentTimeNanosUnsafe: wall_ns,
    currentTimeNanos: Effect.sync(wall_ns),
    monotonicTimeNanosUnsafe: monotonic_ns,
    monotonicTimeNanos: Effect.sync(monotonic_ns),
    sleep: (duration) => travel(world, incarnation, Duration.toMillis(duration))
  }
}

/** Schedules the fibers of a process on the event loop of the simulation. */
export const schedulerOf = (world: World, incarnation: Incarnation): Scheduler.Scheduler => ({
  executionMode: "async",
  // A fiber runs until it waits. Every call to the outside makes it wait.
  shouldYield: () => false,
  makeDispatcher: () => ({
    scheduleTask: (task) => world.soon(incarnation, task),
    flush: () => {}
  })
})
