import { Context, Duration, Effect, Layer } from "effect"

/** What has to be right before calls may come, in the order in which a start brings it about. */
const parts = ["database", "migrations", "recovery", "listener"] as const
export type Part = (typeof parts)[number]

/** A check that takes longer has failed. */
const check_max = Duration.seconds(2)

/** Whether calls may come to this process, and why not. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** From now on a part is as its check says; until then it is not ready. */
    readonly judge: (part: Part, check: Effect.Effect<boolean>) => Effect.Effect<void>
    /** No calls may come any more; those that come are still answered. */
    readonly stop: Effect.Effect<void>
    /** What is not ready; nothing when calls may come. */
    readonly missing: Effect.Effect<ReadonlyArray<Part | "stopping">>
  }
>()("saldo/facade/Readiness") {
  static readonly layer = Layer.sync(Readiness, () => {
    const checks = new Map<Part, Effect.Effect<boolean>>()
    let stopping = false
    const isReady = (part: Part) =>
      (checks.get(part) ?? Effect.succeed(false)).pipe(
        Effect.timeoutOrElse({ duration: check_max, orElse: () => Effect.succeed(false) }),
        Effect.catchCause(() => Effect.succeed(false))
      )
    const missing = Effect.suspend(() =>
      Effect.map(Effect.forEach(parts, isReady, { concurrency: "unbounded" }), (ready) => [
        ...(stopping ? (["stopping"] as const) : []),
        ...parts.filter((_, index) => ready[index] !== true)
      ])
    )
    return Readiness.of({
      judge: (part, check) => Effect.sync(() => void checks.set(part, check)),
      stop: Effect.sync(() => {
        stopping = true
      }),
      missing
    })
  })
}
