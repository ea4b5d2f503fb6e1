import { Clock, DateTime, Duration, Effect, Metric, Random, Struct } from "effect"
import { type Invariant, invariants } from "../domain/Invariants.ts"
import { Audit } from "../ports/Audit.ts"
import { seriesOf } from "../telemetry/Metrics.ts"

/**
 * Shortest pause between audits, as a multiple of the last audit's duration, because an audit reads the whole database.
 */
const rest_min = 20

const violationsOf = seriesOf(["invariant"], (attributes) =>
  Metric.gauge("saldo_invariant_violations", {
    description: "Rows that violated an invariant in the last audit; NaN before the first audit",
    attributes
  })
)

const endedAt = Metric.gauge("saldo_audit_last_timestamp_seconds", {
  description: "Unix time at which the last audit ended; before the first audit, the time at which the process started"
})

const interval = Metric.gauge("saldo_audit_interval_seconds", {
  description: "Interval between audits; absent if AUDIT_EVERY is off"
})

const took = Metric.gauge("saldo_audit_seconds", {
  description: "Duration of the last audit; NaN before the first audit"
})

const setTo = (violations: number, invariant: Invariant) => Metric.update(violationsOf({ invariant }), violations)

const ended = Effect.flatMap(Clock.currentTimeMillis, (now_ms) => Metric.update(endedAt, now_ms / 1000))

/**
 * Checks the invariants once and stores the result. A result that cannot be stored is only logged, because an audit must
 * also run on a database that accepts no writes.
 *
 * @returns the duration of the audit and its results.
 */
export const proveAndRecord = Effect.fn("KeepAuditing.proveAndRecord")(function* () {
  const { prove, record } = yield* Audit
  const [lasted, examined] = yield* Effect.timed(prove)
  yield* record({
    endedAt: yield* DateTime.now,
    duration_ms: Math.round(Duration.toMillis(lasted)),
    violated: examined.filter(({ violations }) => violations > 0)
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("the result of an audit could not be stored", cause)))
  return { lasted, examined }
})

/** Checks the invariants once, sets the metrics, and logs violations. */
export const auditOnce = Effect.fn("KeepAuditing.auditOnce")(function* () {
  const { examined, lasted } = yield* proveAndRecord()
  yield* Metric.update(took, Duration.toSeconds(lasted))
  yield* ended
  for (const { invariant, violations } of examined) {
    yield* setTo(violations, invariant)
    if (violations > 0)
      yield* Effect.logError(`violated invariant: ${invariants[invariant]}`, { invariant, violations })
  }
})

/**
 * Audits at intervals for the life of the process. A failed audit is only logged. Intervals are randomized, so that
 * processes started together do not audit together.
 */
export const keepAuditing = Effect.fnUntraced(function* <E, R>(
  every: Duration.Duration,
  audit: Effect.Effect<void, E, R>
) {
  yield* Effect.forEach(Struct.keys(invariants), (invariant) => setTo(Number.NaN, invariant))
  yield* Metric.update(took, Number.NaN)
  yield* Metric.update(interval, Duration.toSeconds(every))
  yield* ended
  yield* Effect.sleep(Duration.times(every, yield* Random.next))
  return yield* Effect.timed(Effect.exit(audit)).pipe(
    Effect.tap(([, exit]) =>
      exit._tag === "Failure" ? Effect.logWarning("an audit failed before it was complete", exit.cause) : Effect.void
    ),
    Effect.flatMap(([lasted]) => Effect.sleep(Duration.max(every, Duration.times(lasted, rest_min)))),
    Effect.forever
  )
})
