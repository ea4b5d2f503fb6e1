import { Effect } from "effect"

const pause_ms = 5

// By the machine's clock: that of a test may stand still.
const pause = Effect.callback<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), pause_ms)
  return Effect.sync(() => clearTimeout(timer))
})

/**
 * Does it again until it answers as it should: what is announced between processes takes its time. It leaves the
 * machine to the others between two tries.
 */
export const eventually: {
  <A, B extends A, E, R>(what: Effect.Effect<A, E, R>, isSo: (answer: A) => answer is B): Effect.Effect<B, E, R>
  <A, E, R>(what: Effect.Effect<A, E, R>, isSo: (answer: A) => boolean): Effect.Effect<A, E, R>
} = Effect.fnUntraced(function* <A, E, R>(what: Effect.Effect<A, E, R>, isSo: (answer: A) => boolean) {
  for (;;) {
    const answer = yield* what
    if (isSo(answer)) return answer
    yield* pause
  }
})
