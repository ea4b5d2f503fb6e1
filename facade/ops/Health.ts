import { Context, Effect, Layer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { Gauges } from "./Gauges.ts"
import { Readiness } from "./Monitoring.ts"

/** The answers of the operations port. */
export class Health extends Context.Service<
  Health,
  {
    /** Whether the service runs. False if a worker process hangs. */
    readonly isAlive: Effect.Effect<boolean>
    /** The conditions for accepting calls that do not hold yet. */
    readonly missing: Effect.Effect<ReadonlyArray<string>>
    /** The cells that do not answer. The service accepts the calls of all other companies. */
    readonly cellsDown: Effect.Effect<ReadonlyArray<string>>
    /** All metrics, in the text format of Prometheus. */
    readonly metrics: Effect.Effect<string>
  }
>()("saldo/facade/Health") {
  /** The health of this process. */
  static readonly layer = Layer.effect(
    Health,
    Effect.gen(function* () {
      const { missing } = yield* Readiness
      const { cellsDown, refresh } = yield* Gauges
      return Health.of({
        isAlive: Effect.succeed(true),
        missing,
        cellsDown,
        metrics: Effect.andThen(refresh, PrometheusMetrics.format())
      })
    })
  )
}
