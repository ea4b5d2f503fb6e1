import { Clock, Context, Duration, Effect, Exit, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { isWritable } from "../../adapters/postgres/connection/Sql.ts"
import * as AuditPostgres from "../../adapters/postgres/reads/AuditPostgres.ts"
import * as VitalSignsPostgres from "../../adapters/postgres/reads/VitalSignsPostgres.ts"
import { pending } from "../../adapters/postgres/schema/Migrations.ts"
import { VitalSigns } from "../../core/ports/VitalSigns.ts"
import { auditOnce, keepAuditing } from "../../core/workflows/KeepAuditing.ts"
import { lastSignOfRecovery } from "../../core/workflows/Recover.ts"
import { connections, DatabaseServer } from "../settings/DatabaseServer.ts"
import { Settings } from "../settings/Settings.ts"
import { Gauges } from "./Gauges.ts"

/** What has to be right before calls may come, in the order in which a start brings it about. */
const readinessParts = ["database", "migrations", "recovery", "listener"] as const
export type ReadinessPart = (typeof readinessParts)[number]

/** A check that takes longer has failed. */
const check_max = Duration.seconds(2)

/** Whether calls may come to this process, and why not. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** From now on a part is as its check says; until then it is not ready. */
    readonly judge: (part: ReadinessPart, check: Effect.Effect<boolean>) => Effect.Effect<void>
    /** No calls may come any more; those that come are still answered. */
    readonly stop: Effect.Effect<void>
    /** What is not ready; nothing when calls may come. */
    readonly missing: Effect.Effect<ReadonlyArray<ReadinessPart | "stopping">>
  }
>()("saldo/facade/Readiness") {
  static readonly layer = Layer.sync(Readiness, () => {
    const checks = new Map<ReadinessPart, Effect.Effect<boolean>>()
    let stopping = false
    const isReady = (part: ReadinessPart) =>
      (checks.get(part) ?? Effect.succeed(false)).pipe(
        Effect.timeoutOrElse({ duration: check_max, orElse: () => Effect.succeed(false) }),
        Effect.catchCause(() => Effect.succeed(false))
      )
    const missing = Effect.suspend(() =>
      Effect.map(Effect.forEach(readinessParts, isReady, { concurrency: "unbounded" }), (ready) => [
        ...(stopping ? (["stopping"] as const) : []),
        ...readinessParts.filter((_, index) => ready[index] !== true)
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

/** Recovery does something every second. */
const recoverySilence_max = Duration.minutes(2)

/** The schema is not looked at more often: files are read for it. */
const schemaCacheTtl = Duration.seconds(30)

/** A connection of its own: sales never wait behind whoever watches, nor the other way round. */
const monitoringConnection = connections(1, { statement_timeout: "2000" })

/** One statement of an audit may take ten minutes, and never more than one core. */
const auditConnection = connections(1, {
  statement_timeout: "600000",
  max_parallel_workers_per_gather: "0"
})

// One that only reads answers too, as a standby does, and sells nothing.
const isDatabaseWritable = SqlClient.SqlClient.useSync((sql) =>
  Effect.orDie(isWritable.pipe(Effect.provideService(SqlClient.SqlClient, sql)))
)

const readIsMigrated = SqlClient.SqlClient.useSync((sql) =>
  pending.pipe(
    Effect.map((missing) => missing.length === 0),
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.orDie
  )
)

// Only a good answer is kept: that the database was away for a moment says nothing of its schema.
const isMigrated = Effect.flatMap(
  readIsMigrated,
  Effect.cachedWithTTL((exit) => (Exit.isSuccess(exit) && exit.value ? schemaCacheTtl : Duration.zero))
)

const isRecovering = Effect.gen(function* () {
  const now_ms = yield* Clock.currentTimeMillis
  const { value } = yield* Metric.value(lastSignOfRecovery)
  return now_ms - value * 1000 <= Duration.toMillis(recoverySilence_max)
})

const readinessChecks = Layer.effectDiscard(
  Effect.gen(function* () {
    const readiness = yield* Readiness
    yield* readiness.judge("database", yield* isDatabaseWritable)
    yield* readiness.judge("migrations", yield* isMigrated)
    yield* readiness.judge("recovery", isRecovering)
    const gauges = yield* Gauges
    yield* gauges.readBy(yield* VitalSigns.useSync(({ read }) => read))
  })
).pipe(Layer.provide(Layer.provideMerge(VitalSignsPostgres.layer, monitoringConnection)))

const auditing = Layer.effectDiscard(
  Effect.gen(function* () {
    const { auditEvery } = yield* Settings
    if (auditEvery === null) return
    const store = yield* DatabaseServer
    // Connected for as long as the audit takes, and each time anew.
    const audit = auditOnce().pipe(
      Effect.provide(Layer.fresh(Layer.provide(AuditPostgres.layer, auditConnection))),
      Effect.provideService(DatabaseServer, store)
    )
    yield* Effect.forkScoped(keepAuditing(auditEvery, audit))
  })
)

/** Says how the process and its data are, for as long as both live. */
export const monitoring = Layer.merge(readinessChecks, auditing)

/**
 * Calls may come, once whatever takes them is there. Whoever sends them is told when they may not any more, and given
 * the time to hear it, before anybody is refused.
 */
export const acceptingCalls = Layer.effectDiscard(
  Effect.gen(function* () {
    const { shutdownDelay } = yield* Settings
    const { judge, stop } = yield* Readiness
    yield* judge("listener", Effect.succeed(true))
    yield* Effect.addFinalizer(() => Effect.andThen(stop, Effect.sleep(shutdownDelay)))
  })
)
