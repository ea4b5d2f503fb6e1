import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, type Redacted, Schedule } from "effect"
import { HttpServer } from "effect/http"
import * as CallCounterMemory from "../adapters/CallCounterMemory.ts"
import { DataKey } from "../adapters/crypto/VaultAead.ts"
import * as PdfThread from "../adapters/pdf/PdfThread.ts"
import * as Cells from "../adapters/postgres/cells/Cells.ts"
import * as ClosingsOfCells from "../adapters/postgres/cells/ClosingsOfCells.ts"
import { anyRoleReaderLayer, mayActAsReader } from "../adapters/postgres/connection/CompanyReads.ts"
import * as CataloguePostgres from "../adapters/postgres/directory/CataloguePostgres.ts"
import * as TokenDirectoryPostgres from "../adapters/postgres/directory/TokenDirectoryPostgres.ts"
import { countPeppers } from "../adapters/postgres/directory/TokensPostgres.ts"
import { watchGroupSize } from "../adapters/postgres/grouping/Grouped.ts"
import type { CompanyEvent } from "../core/domain/Event.ts"
import { CallCounter } from "../core/ports/CallCounter.ts"
import type { Closings } from "../core/ports/Closings.ts"
import { Pepper } from "../core/ports/Pepper.ts"
import { closeDue, keepClosing } from "../core/workflows/CloseDays.ts"
import { keepDelivering, keepPurging } from "../core/workflows/DeliverEvents.ts"
import { keepFollowingUp } from "../core/workflows/FollowUp.ts"
import { keepReadingFloat } from "../core/workflows/ReadFloat.ts"
import { keepRecovering } from "../core/workflows/Recover.ts"
import { keepResetting } from "../core/workflows/SandboxReset.ts"
import { seed } from "../core/workflows/Seed.ts"
import { keepSending } from "../core/workflows/SendSms.ts"
import { keepTracing } from "../core/workflows/TraceSms.ts"
import { appLayer, baseLayer } from "./AppLayer.ts"
import { HttpOptions } from "./api/Call.ts"
import { eventView } from "./api/EventView.ts"
import { IsReplaced } from "./http/Connections.ts"
import * as Http from "./http/Http.ts"
import * as Listener from "./http/Listener.ts"
import { Gauges } from "./ops/Gauges.ts"
import { Health } from "./ops/Health.ts"
import { acceptingCalls, auditing, Readiness, readinessChecks } from "./ops/Monitoring.ts"
import * as Ops from "./ops/OperationsPort.ts"
import { telemetry } from "./ops/Telemetry.ts"
import { PrimaryLink } from "./processes/PrimaryLink.ts"
import { type Started, startedAt } from "./Started.ts"
import { exampleCatalogue } from "./settings/CatalogueFile.ts"
import { connections, DatabaseServer, migratedConnections } from "./settings/DatabaseServer.ts"
import { Settings } from "./settings/Settings.ts"

/** The base layer of the server, with telemetry. */
export const baseWithTelemetry = Layer.provideMerge(telemetry, baseLayer)

const seeding = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sandbox } = yield* Settings
    yield* seed(yield* exampleCatalogue, sandbox)
  })
)

const recovering = Layer.effectDiscard(Effect.forkScoped(keepRecovering))

const followingUp = Layer.unwrap(
  Settings.useSync(({ externalServices: { followUpCalls_max } }) =>
    followUpCalls_max === null
      ? Layer.empty
      : Layer.effectDiscard(Effect.forkScoped(keepFollowingUp(followUpCalls_max)))
  )
)

const floatReading = Layer.unwrap(
  Settings.useSync(({ externalServices: { floatAlert, floatEvery, provider } }) =>
    floatEvery === null
      ? Layer.empty
      : Layer.effectDiscard(
          Effect.forkScoped(
            keepReadingFloat({ provider: provider?._tag ?? "simulador", every: floatEvery, alert: floatAlert })
          )
        )
  )
)

const smsSending = Layer.effectDiscard(Effect.andThen(Effect.forkScoped(keepSending), Effect.forkScoped(keepTracing)))

// For the embedded Postgres, the server does not warn about a missing DATA_KEY, because the key would be on the same
// machine as the database files. On a separate database server, other people may be able to read the files.
const startupWarnings = Layer.effectDiscard(
  Effect.gen(function* () {
    const { databaseUrl } = yield* Settings
    const dataKey = yield* DataKey
    const { name } = yield* Pepper
    if (databaseUrl !== null && !dataKey.protected)
      yield* Effect.logWarning("personal data is readable with a copy of the database: set DATA_KEY")
    if (!(yield* mayActAsReader))
      yield* Effect.logWarning(
        "row-level security does not limit reads to one company: grant saldo_reader to the login of DATABASE_URL"
      )
    const { underAnother } = yield* Effect.orDie(countPeppers(name))
    if (underAnother > 0)
      yield* Effect.logError("tokens stored under a different TOKEN_PEPPER are refused", {
        tokens: underAnother
      })
  })
)

/**
 * Minimum mean number of reservations in a group (reservations that one statement makes) at which sales count as
 * waiting for the database. At 500 sales a second the mean is below 4.
 */
const waitingGroup_min = 8

const eventDelivering = Layer.effectDiscard(
  Effect.gen(function* () {
    const render = (event: CompanyEvent) => JSON.stringify(eventView(event))
    const groupSize = yield* watchGroupSize("reserve")
    const areSalesWaiting = Effect.map(groupSize, (members) => members >= waitingGroup_min)
    yield* Effect.forkScoped(keepDelivering(render, areSalesWaiting))
    yield* Effect.forkScoped(keepPurging)
  })
)

const sandboxResetting = Layer.unwrap(
  Settings.useSync(({ sandbox }) =>
    sandbox === null ? Layer.empty : Layer.effectDiscard(Effect.forkScoped(keepResetting))
  )
)

/**
 * A separate connection for closings, so that sales do not wait for a closing. Reading the totals of a day with a
 * million sales takes some seconds, and uses only one core.
 */
const closingConnection = connections(1, {
  lock_timeout: "3000",
  statement_timeout: "600000",
  max_parallel_workers_per_gather: "0"
})

/** The port that the server closes days with. */
export const closingsLayer = ClosingsOfCells.layer.pipe(
  Layer.provide([Cells.layer, anyRoleReaderLayer]),
  Layer.provide(closingConnection)
)

/** Closes days with a port. Opens a new connection for each round and closes it afterwards. */
export const closeDaysWith = <E, R>(closings: Layer.Layer<Closings, E, R>) =>
  Layer.effectDiscard(Effect.forkScoped(keepClosing(Effect.provide(closeDue(), Layer.fresh(closings)))))

// Loads the Redis client only if it is configured. The client is a third of all modules, and most installations do not
// use it.
const redisCallCounter = (url: Redacted.Redacted) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../adapters/CallCounterRedis.ts")),
      (CallCounterRedis) => CallCounterRedis.layer(url)
    )
  )

/** The counter in Redis if one is configured, otherwise the given one. */
const redisOr = <R>(counter: Layer.Layer<CallCounter, never, R>) =>
  Layer.unwrap(Settings.useSync(({ redisUrl }) => (redisUrl === null ? counter : redisCallCounter(redisUrl))))

const httpOptions = Layer.effect(
  HttpOptions,
  Settings.useSync(({ environment, publicUrl, rateLimit, sandbox, supportEmail, trustProxy }) => ({
    environment,
    limits: rateLimit,
    publicUrl,
    sandbox,
    supportEmail,
    trustProxy
  }))
)

/** The ports that calls need, on a seeded database, with a counter for the rate limit. */
const portsWith = <R>(counter: Layer.Layer<CallCounter, never, R>) =>
  Layer.mergeAll(seeding, CataloguePostgres.layer, TokenDirectoryPostgres.layer, PdfThread.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(appLayer, redisOr(counter), httpOptions)),
    Layer.provideMerge(
      Layer.unwrap(Settings.useSync(({ connections_max }) => migratedConnections(connections_max, "saldo_server")))
    ),
    Layer.provideMerge(DatabaseServer.layer),
    Layer.provideMerge(baseWithTelemetry)
  )

/** The ports that calls need, on a seeded database. */
export const portsLayer = portsWith(CallCounterMemory.layer)

/** All background work of a server. If the server has several worker processes, only one of them does this work. */
const backgroundWork = Layer.mergeAll(
  recovering,
  followingUp,
  floatReading,
  smsSending,
  eventDelivering,
  sandboxResetting,
  closeDaysWith(closingsLayer),
  auditing,
  startupWarnings
)

/** The ports and the background work of a server. */
export const serverLayer = Layer.provideMerge(backgroundWork, portsLayer)

const started = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  const port = "port" in address ? address.port : 0
  return yield* startedAt(port)
})

/** Serves calls on a server. The listener starts last and stops first. */
const listeningOn = <A, E, R>(server: Layer.Layer<A, E, R>) =>
  acceptingCalls.pipe(
    Layer.provide(Http.layer),
    Layer.provideMerge(Listener.layer),
    Layer.provide(NodeHttpServer.layerHttpServices),
    Layer.provide(readinessChecks),
    Layer.provideMerge(server)
  )

/**
 * The whole server of `saldo serve` in one process. Calls `announce` once the server listens. The operations port starts
 * first and stops last.
 */
export const httpServerLayer = (announce: (started: Started) => Effect.Effect<void>) =>
  Layer.effectDiscard(Effect.flatMap(started, announce)).pipe(
    Layer.provide(listeningOn(serverLayer)),
    Layer.provide(Ops.layer),
    Layer.provide(Health.layer),
    Layer.provide([Readiness.layer, Gauges.layer]),
    Layer.provide(baseWithTelemetry)
  )

// Retries, because the database may be unavailable at this moment. No other worker takes over the background work until
// this worker ends.
const backgroundWorkAgain = Layer.launch(backgroundWork).pipe(
  Effect.catchCause((cause) => Effect.logError("the background work could not start and will be tried again", cause)),
  Effect.repeat(Schedule.spaced("5 seconds"))
)

// Starts when the primary process gives the background work to this worker.
const backgroundWorkWhenLeading = Layer.effectDiscard(
  PrimaryLink.use(({ leading }) => Effect.forkScoped(Effect.andThen(leading, backgroundWorkAgain)))
)

const workerPorts = portsWith(
  Layer.effect(
    CallCounter,
    PrimaryLink.useSync(({ counter }) => counter)
  )
)

/** A worker process of `saldo serve`. Its link to the primary process starts first and stops last. */
export const workerLayer = listeningOn(Layer.provideMerge(backgroundWorkWhenLeading, workerPorts)).pipe(
  Layer.provide(
    Layer.effect(
      IsReplaced,
      PrimaryLink.useSync(({ isReplaced }) => isReplaced)
    )
  ),
  Layer.provide(PrimaryLink.layer),
  Layer.provide(Health.layer),
  Layer.provide([Readiness.layer, Gauges.layer]),
  Layer.provide(baseWithTelemetry)
)
