import { Clock, Context, Duration, Effect, Exit, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { everyCellPlace } from "../../adapters/postgres/connection/Cell.ts"
import { Nodes } from "../../adapters/postgres/connection/Nodes.ts"
import { isWritable } from "../../adapters/postgres/connection/Sql.ts"
import { isStoring } from "../../adapters/postgres/ledger/WriteHealth.ts"
import * as AuditPostgres from "../../adapters/postgres/reads/AuditPostgres.ts"
import * as VitalSignsPostgres from "../../adapters/postgres/reads/VitalSignsPostgres.ts"
import { CheckTimeout, pending } from "../../adapters/postgres/schema/Migrations.ts"
import { VitalSigns } from "../../core/ports/VitalSigns.ts"
import { auditOnce, keepAuditing } from "../../core/workflows/KeepAuditing.ts"
import { lastSignOfRecovery } from "../../core/workflows/Recover.ts"
import { IsReplaced } from "../http/Connections.ts"
import { connections, DatabaseServer } from "../settings/DatabaseServer.ts"
import { Settings } from "../settings/Settings.ts"
import { Gauges } from "./Gauges.ts"

/** The conditions for accepting calls, in the order in which a starting process meets them. */
const readinessParts = ["database", "migrations", "writes", "recovery", "listener"] as const
export type ReadinessPart = (typeof readinessParts)[number]

/** Timeout of a readiness check. A check that exceeds it has failed. */
const check_max = Duration.seconds(2)

/** Whether this process can accept calls, and what is missing. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** Sets the check of a part. Without a check, a part is not ready. */
    readonly judge: (part: ReadinessPart, check: Effect.Effect<boolean>) => Effect.Effect<void>
    /** Marks the process as stopping. A stopping process still answers calls. */
    readonly stop: Effect.Effect<void>
    /** The parts that are not ready. Empty if calls can be accepted. */
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

/** Recovery runs every second. After this time without progress of recovery, the process is not ready. */
const recoverySilence_max = Duration.minutes(2)

/** Minimum interval between two checks of the schema, because a check reads files. */
const schemaCacheTtl = Duration.seconds(30)

/**
 * How long the check of the schema waits for another node. The time is shorter than `check_max`, so that readiness does
 * not fail because another node is down.
 */
const nodeCheck_max = Duration.seconds(1)

/**
 * A separate connection, so that sales and monitoring never wait for each other. The lock timeout is short, so that a
 * locked cell does not use up the time for reading the other cells.
 */
const monitoringConnection = connections(1, { lock_timeout: "500", statement_timeout: "2000" })

/** The connection for audits. A statement of an audit may take ten minutes, and uses at most one core. */
const auditConnection = connections(1, {
  statement_timeout: "600000",
  max_parallel_workers_per_gather: "0"
})

// Checks for write access, because a standby also answers but cannot sell.
const isDatabaseWritable = SqlClient.SqlClient.useSync((sql) =>
  Effect.orDie(isWritable.pipe(Effect.provideService(SqlClient.SqlClient, sql)))
)

const readIsMigrated = Effect.map(Effect.all([SqlClient.SqlClient, Nodes]), ([sql, nodes]) =>
  pending.pipe(
    Effect.provideService(CheckTimeout, nodeCheck_max),
    Effect.map((missing) => missing.length === 0),
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.provideService(Nodes, nodes),
    Effect.orDie
  )
)

// Caches only success, because a failed check may come from a brief outage of the database, not from its schema.
const isMigrated = Effect.flatMap(
  readIsMigrated,
  Effect.cachedWithTTL((exit) => (Exit.isSuccess(exit) && exit.value ? schemaCacheTtl : Duration.zero))
)

const isRecovering = Effect.gen(function* () {
  const now_ms = yield* Clock.currentTimeMillis
  const { value } = yield* Metric.value(lastSignOfRecovery)
  return now_ms - value * 1000 <= Duration.toMillis(recoverySilence_max)
})

/** The checks of readiness, and the reading of the gauges. */
export const readinessChecks = Layer.effectDiscard(
  Effect.gen(function* () {
    const readiness = yield* Readiness
    yield* readiness.judge("database", yield* isDatabaseWritable)
    yield* readiness.judge("migrations", yield* isMigrated)
    const cells = yield* everyCellPlace
    // If the cells cannot be read, the check `database` reports the failure.
    const known = Effect.orElseSucceed(cells, () => [])
    yield* readiness.judge("writes", Effect.flatMap(known, isStoring))
    yield* readiness.judge("recovery", isRecovering)
    const gauges = yield* Gauges
    yield* gauges.readBy(yield* VitalSigns.useSync(({ read }) => read))
  })
).pipe(Layer.provide(Layer.provideMerge(VitalSignsPostgres.layer, monitoringConnection)))

/** The regular audits of the money. */
export const auditing = Layer.effectDiscard(
  Effect.gen(function* () {
    const { auditEvery } = yield* Settings
    if (auditEvery === null) return
    const store = yield* DatabaseServer
    // Opens a new connection for each audit and closes it afterwards.
    const audit = auditOnce().pipe(
      Effect.provide(Layer.fresh(Layer.provide(AuditPostgres.layer, auditConnection))),
      Effect.provideService(DatabaseServer, store)
    )
    yield* Effect.forkScoped(keepAuditing(auditEvery, audit))
  })
)

/**
 * Marks the process as ready once its listener exists. On shutdown, first marks it as not ready and waits
 * SHUTDOWN_DELAY, so that load balancers stop sending calls before calls are refused. A worker that another worker has
 * replaced does not wait, because the calls go to the other worker.
 */
export const acceptingCalls = Layer.effectDiscard(
  Effect.gen(function* () {
    const { shutdownDelay } = yield* Settings
    const isReplaced = yield* IsReplaced
    const { judge, stop } = yield* Readiness
    yield* judge("listener", Effect.succeed(true))
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        stop,
        Effect.suspend(() => Effect.sleep(isReplaced() ? Duration.zero : shutdownDelay))
      )
    )
  })
)
