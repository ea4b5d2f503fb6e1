import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import {
  type Cluster,
  create,
  findBinaries,
  freePort,
  role,
  runningPort,
  start,
  stop
} from "../../adapters/embedded/EmbeddedCluster.ts"
import { findUser } from "../../adapters/embedded/EmbeddedFiles.ts"
import { findPlace } from "../../adapters/embedded/EmbeddedPlace.ts"
import { postgresPidIn, runStatement } from "./EmbeddedDatabases.ts"
import { eventually } from "./Eventually.ts"
import { fastSettings } from "./PostgresServer.ts"

/** The ids of the processes that serve clients, and of the postmaster. */
const processesOf = Effect.fnUntraced(function* (url: string, directory: string) {
  const rows = yield* runStatement(url, "select pid from pg_stat_activity where backend_type = 'client backend'")
  const postmaster = postgresPidIn(directory)
  return [
    ...(postmaster === null ? [] : [postmaster]),
    ...(rows as ReadonlyArray<{ readonly pid: number }>).map(({ pid }) => pid)
  ]
})

/** Sends a signal to each process that still runs. */
const signalAll = (pids: ReadonlyArray<number>, signal: NodeJS.Signals) => {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // The process has ended.
    }
  }
}

/** A separate Postgres server, which a test can stop and start again. */
export const secondPostgres = Effect.gen(function* () {
  const dataDirectory = mkdtempSync(join(tmpdir(), "saldo-node-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(dataDirectory, { recursive: true, force: true })))
  const { cluster, port, url } = yield* Effect.promise(async () => {
    const user = findUser()
    const { directory, password, port } = findPlace(dataDirectory, user, await freePort(0))
    // With synchronous_commit off, a killed server would lose commits that it has not yet written.
    const settings = { ...fastSettings, synchronous_commit: "on", shared_buffers: "16MB", max_connections: "50" }
    const cluster: Cluster = { binaries: await findBinaries(directory, user), directory, user, settings }
    await create(cluster, password)
    await start(cluster, port)
    return { cluster, port, url: `postgres://${role}:${password}@127.0.0.1:${port}/postgres` }
  })
  let silent: ReadonlyArray<number> = []
  const resume = Effect.sync(() => {
    signalAll(silent, "SIGCONT")
    silent = []
  })
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      resume,
      Effect.promise(() => stop(cluster).catch(() => {}))
    )
  )
  return {
    url,
    /** Suspends the server. Clients can connect, but get no response. */
    silence: Effect.map(processesOf(url, cluster.directory), (pids) => {
      silent = pids
      signalAll(pids, "SIGSTOP")
    }),
    /** Lets a suspended server continue. */
    resume,
    /** Ends the server immediately, as a power failure does. Its backends could still answer, so waits until they have ended. */
    kill: Effect.andThen(
      Effect.sync(() =>
        signalAll(
          [postgresPidIn(cluster.directory) ?? 0].filter((pid) => pid > 0),
          "SIGQUIT"
        )
      ),
      Effect.asVoid(
        eventually(
          Effect.sync(() => runningPort(cluster)),
          (port) => port === null
        )
      )
    ),
    /** Starts the server after `kill`. */
    start: Effect.promise(() => start(cluster, port))
  }
})

/** A second Postgres server, which the tests of a file share. */
export class SecondPostgres extends Context.Service<SecondPostgres, Effect.Success<typeof secondPostgres>>()(
  "saldo/test/SecondPostgres"
) {
  static readonly layer = Layer.effect(SecondPostgres, secondPostgres)
}
