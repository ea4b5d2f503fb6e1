import { PgConnection } from "@effect/sql-pg"
import { Context, Deferred, Duration, Effect, Layer, Queue, Redacted, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "../postgres/connection/Sql.ts"
import { wordsOf } from "../postgres/connection/SqlFailure.ts"
import {
  type Cluster,
  create,
  exists,
  findBinaries,
  freePort,
  role,
  runningPort,
  start,
  stop,
  sync
} from "./EmbeddedCluster.ts"
import { codeOf, EmbeddedFailed, findUser } from "./EmbeddedFiles.ts"
import { findPlace, savePort } from "./EmbeddedPlace.ts"

/** Timeout for the crash recovery of a killed server. */
const recovery_max = Duration.seconds(60)

/**
 * Before an ending process stops the server, it checks whether other processes use the server. It checks this number of
 * times, at this interval.
 */
const looks_max = 4
const betweenLooks = Duration.millis(50)

interface Server {
  readonly cluster: Cluster
  readonly port: number
  readonly url: Redacted.Redacted
}

export interface EmbeddedOptions {
  readonly dataDirectory: string
  /** Settings of postgresql.conf for a new cluster. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * A Postgres server that Saldo starts itself. All processes with the same data directory share one server. The first
 * process starts the server, and the last process stops it. A process that finds the server dead restarts it.
 */
export class EmbeddedPostgres extends Context.Service<
  EmbeddedPostgres,
  {
    readonly url: Redacted.Redacted
    /** The data directory. */
    readonly directory: string
  }
>()("saldo/adapters/EmbeddedPostgres") {
  static readonly layer = (options: EmbeddedOptions): Layer.Layer<EmbeddedPostgres, EmbeddedFailed> =>
    Layer.effect(EmbeddedPostgres, make(options))
}

const make = Effect.fnUntraced(function* (options: EmbeddedOptions) {
  const server = yield* prepare(options)
  const up = yield* Deferred.make<void, EmbeddedFailed>()
  yield* Effect.addFinalizer(() => Effect.ignore(stopIfLast(server)))
  yield* Effect.forkScoped(supervise(server, up))
  yield* Deferred.await(up)
  return EmbeddedPostgres.of({ url: server.url, directory: server.cluster.directory })
})

/** Runs a promise that works with files or programs. Its failures are already `EmbeddedFailed` with a message. */
const perform = <A>(run: () => Promise<A>): Effect.Effect<A, EmbeddedFailed> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => (cause instanceof EmbeddedFailed ? cause : new EmbeddedFailed({ message: codeOf(cause) }))
  })

const prepare = Effect.fnUntraced(function* ({ dataDirectory, settings = {} }: EmbeddedOptions) {
  // Uninterruptible: an interruption would leave a partial cluster and the file with its password on disk.
  const server = yield* Effect.uninterruptible(
    perform(async () => {
      const user = findUser()
      const place = findPlace(dataDirectory, user, await freePort(0))
      const binaries = await findBinaries(place.directory, user)
      const cluster: Cluster = { binaries, directory: place.directory, user, settings }
      const fresh = !exists(cluster)
      if (fresh) await create(cluster, place.password)
      // The port is chosen once, so that the address in the connection pool stays valid after a restart of the server.
      const port = runningPort(cluster) ?? (await freePort(place.port))
      if (port !== place.port) savePort(dataDirectory, port)
      return {
        cluster,
        fresh,
        port,
        url: Redacted.make(`postgres://${role}:${place.password}@127.0.0.1:${port}/postgres`)
      }
    })
  )
  // Flushes the files to disk in the background. A power failure before the end of the flush can lose the new cluster,
  // which has no data yet.
  if (server.fresh) yield* Effect.forkScoped(Effect.ignore(perform(() => sync(server.cluster))))
  return server
})

const supervise = (server: Server, up: Deferred.Deferred<void, EmbeddedFailed>): Effect.Effect<never> =>
  ensureRunning(server).pipe(
    Effect.andThen(hold(server, up)),
    Effect.catch((error) =>
      Effect.flatMap(Deferred.fail(up, error), (first) => (first ? Effect.void : Effect.logError(error.message)))
    ),
    Effect.repeat(Schedule.spaced("200 millis")),
    Effect.andThen(Effect.never)
  )

// Uninterruptible: if the process ended while the server starts, no process would stop the server later.
const ensureRunning = ({ cluster, port }: Server): Effect.Effect<void, EmbeddedFailed> =>
  perform(() => start(cluster, port)).pipe(
    Effect.uninterruptible,
    // Retries, because the child processes of a killed server need a moment to exit. If another process starts the server
    // first, this process uses that server.
    Effect.retry({ while: () => runningPort(cluster) === null, schedule: Schedule.spaced("200 millis"), times: 10 }),
    Effect.catch((error) => (runningPort(cluster) === null ? Effect.fail(error) : Effect.void)),
    Effect.when(Effect.sync(() => runningPort(cluster) === null))
  )

/** Registers this process as a user of the server until the server dies. */
const hold = (
  { cluster, url }: Server,
  up: Deferred.Deferred<void, EmbeddedFailed>
): Effect.Effect<void, EmbeddedFailed> =>
  connect(url).pipe(
    Effect.retry({
      while: (error) => error.reason._tag !== "AuthenticationError" && runningPort(cluster) !== null,
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: recovery_max }))
    }),
    Effect.mapError(
      (error) => new EmbeddedFailed({ message: `cannot connect to the embedded Postgres: ${wordsOf(error)}` })
    ),
    Effect.flatMap((connection) =>
      connection.query(`select pg_advisory_lock_shared(${advisoryLocks.embeddedServer})`).pipe(
        Effect.andThen(connection.listen("saldo_embedded")),
        Effect.tap(Deferred.succeed(up, undefined)),
        Effect.flatMap((notifications) => Effect.forever(Queue.take(notifications))),
        Effect.catch((error) => Effect.logWarning("the embedded Postgres died and is being restarted", error.message))
      )
    ),
    Effect.scoped
  )

const connect = (url: Redacted.Redacted) => PgConnection.make({ url, applicationName: "saldo keeper" })

const stopIfLast = Effect.fnUntraced(function* ({ cluster, url }: Server) {
  if (runningPort(cluster) === null) return
  const others = yield* othersOf(url).pipe(
    Effect.repeat({ until: (count) => count === 0, schedule: Schedule.spaced(betweenLooks), times: looks_max }),
    // A server that accepts no connections may be recovering from a crash, and another process may wait for it.
    Effect.orElseSucceed(() => null)
  )
  if (others === 0) yield* perform(() => stop(cluster))
})

const othersOf = (url: Redacted.Redacted): Effect.Effect<number, SqlError> =>
  connect(url).pipe(
    Effect.flatMap((connection) =>
      connection.query(
        `select count(*)::int4 as count from pg_locks where locktype = 'advisory' and objid = ${advisoryLocks.embeddedServer}`
      )
    ),
    Effect.map(({ rows }) => Number(rows[0]?.["count"])),
    Effect.scoped
  )
