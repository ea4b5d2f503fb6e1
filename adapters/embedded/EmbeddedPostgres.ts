import { PgConnection } from "@effect/sql-pg"
import { Context, Deferred, Duration, Effect, Layer, Queue, Redacted, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "../postgres/AdvisoryLocks.ts"
import { findBinaries } from "./EmbeddedBinaries.ts"
import { type Cluster, create, exists, freePort, role, runningPort, start, stop, sync } from "./EmbeddedCluster.ts"
import { codeOf, EmbeddedFailed } from "./EmbeddedFailed.ts"
import { findPlace, rememberPort } from "./EmbeddedPlace.ts"
import { findUser } from "./EmbeddedUser.ts"

/** How long a server that was killed may take to recover. */
const recovery_max = Duration.seconds(60)

/** How often the last process looks whether the others are really gone, and how far apart. */
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
 * A Postgres that Saldo brings along. Processes on one data directory share one server: the first starts it, the last
 * stops it, and whoever finds it dead starts it again.
 */
export class EmbeddedPostgres extends Context.Service<
  EmbeddedPostgres,
  {
    readonly url: Redacted.Redacted
    /** Where its data is. */
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

/** Runs what the file system and programs promise. Their failures already carry a message. */
const perform = <A>(run: () => Promise<A>): Effect.Effect<A, EmbeddedFailed> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => (cause instanceof EmbeddedFailed ? cause : new EmbeddedFailed({ message: codeOf(cause) }))
  })

const prepare = Effect.fnUntraced(function* ({ dataDirectory, settings = {} }: EmbeddedOptions) {
  // Not interrupted midway: half a cluster, and the file with its password, would stay on the disk.
  const server = yield* Effect.uninterruptible(
    perform(async () => {
      const user = findUser()
      const place = findPlace(dataDirectory, user, await freePort(0))
      const binaries = await findBinaries(place.directory, user)
      const cluster: Cluster = { binaries, directory: place.directory, user, settings }
      const fresh = !exists(cluster)
      if (fresh) await create(cluster, place.password)
      // Chosen once: the pool's address has to hold when the server is started again.
      const port = runningPort(cluster) ?? (await freePort(place.port))
      if (port !== place.port) rememberPort(dataDirectory, port)
      return {
        cluster,
        fresh,
        port,
        url: Redacted.make(`postgres://${role}:${place.password}@127.0.0.1:${port}/postgres`)
      }
    })
  )
  // Nobody waits for the disk: what a power cut could take in these first seconds is a cluster that has just been made.
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

// Not interrupted midway: a server that comes up after its starter has gone would be nobody's.
const ensureRunning = ({ cluster, port }: Server): Effect.Effect<void, EmbeddedFailed> =>
  perform(() => start(cluster, port)).pipe(
    Effect.uninterruptible,
    // Another process may have been first, and the children of a killed server take a moment to notice.
    Effect.retry({ while: () => runningPort(cluster) === null, schedule: Schedule.spaced("200 millis"), times: 10 }),
    Effect.catch((error) => (runningPort(cluster) === null ? Effect.fail(error) : Effect.void)),
    Effect.when(Effect.sync(() => runningPort(cluster) === null))
  )

/** Counts as a user of the server until the server dies. */
const hold = (
  { cluster, url }: Server,
  up: Deferred.Deferred<void, EmbeddedFailed>
): Effect.Effect<void, EmbeddedFailed> =>
  connect(url).pipe(
    Effect.retry({
      while: (error) => error.reason._tag !== "AuthenticationError" && runningPort(cluster) !== null,
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: recovery_max }))
    }),
    Effect.mapError((error) => new EmbeddedFailed({ message: `the embedded Postgres refuses us: ${error.message}` })),
    Effect.flatMap((connection) =>
      connection.query(`select pg_advisory_lock_shared(${advisoryLocks.embeddedServer})`).pipe(
        Effect.andThen(connection.listen("saldo_embedded")),
        Effect.tap(Deferred.succeed(up, undefined)),
        Effect.flatMap((notifications) => Effect.forever(Queue.take(notifications))),
        Effect.catch((error) => Effect.logWarning("the embedded Postgres died and is started again", error.message))
      )
    ),
    Effect.scoped
  )

const connect = (url: Redacted.Redacted) => PgConnection.make({ url, applicationName: "saldo keeper" })

const stopIfLast = Effect.fnUntraced(function* ({ cluster, url }: Server) {
  if (runningPort(cluster) === null) return
  const others = yield* othersOf(url).pipe(
    Effect.repeat({ until: (count) => count === 0, schedule: Schedule.spaced(betweenLooks), times: looks_max }),
    Effect.orElseSucceed(() => 0)
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
