import { Effect } from "effect"

const usualPause_ms = 5

// Uses a real timer, because the clock of a test may not advance.
const pause = (pause_ms: number) =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), pause_ms)
    return Effect.sync(() => clearTimeout(timer))
  })

/**
 * Repeats an effect until its result satisfies a condition. Tests need it because notifications between processes take
 * time. It pauses between two tries, so that other processes can run. A try that starts a process needs a longer pause.
 */
export const eventually: {
  <A, B extends A, E, R>(what: Effect.Effect<A, E, R>, isSo: (answer: A) => answer is B): Effect.Effect<B, E, R>
  <A, E, R>(what: Effect.Effect<A, E, R>, isSo: (answer: A) => boolean, pause_ms?: number): Effect.Effect<A, E, R>
} = Effect.fnUntraced(function* <A, E, R>(
  what: Effect.Effect<A, E, R>,
  isSo: (answer: A) => boolean,
  pause_ms = usualPause_ms
) {
  for (;;) {
    const answer = yield* what
    if (isSo(answer)) return answer
    yield* pause(pause_ms)
  }
})
