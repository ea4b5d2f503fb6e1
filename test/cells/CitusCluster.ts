import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { migrate } from "../../adapters/postgres/schema/Migrations.ts"
import { onServer, runStatement } from "../support/EmbeddedDatabases.ts"
import { setBlockLength, testBlockLength } from "../support/SalesHistory.ts"

/**
 * URL of the coordinator of a Citus cluster with two workers. Its login must be able to create databases. Without this URL, the
 * tests over a cluster are skipped.
 */
export const clusterUrl = process.env["TEST_CITUS_URL"]

interface Server {
  readonly host: string
  readonly port: number
}

const workersOf = (url: string) =>
  PgClient.makeClient({ url: Redacted.make(url) }).pipe(
    Effect.flatMap(
      (sql) => sql<Server>`
        select nodename as host, nodeport as port
        from pg_dist_node
        where groupid > 0 and noderole = 'primary'
        order by groupid`
    ),
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )

const urlOf = (coordinator: string, { host, port }: Server): string => {
  const address = new URL(coordinator)
  address.hostname = host
  address.port = String(port)
  return address.href
}

/** A new database on all servers of the cluster, until the scope ends. Returns its URLs, the migrated coordinator first. */
export const freshCluster = Effect.fnUntraced(function* (coordinator: string) {
  const database = `test_${randomUUID()}`
  const workers = yield* workersOf(coordinator)
  const servers = [coordinator, ...workers.map((worker) => urlOf(coordinator, worker))]
  const inEach = (statement: string) =>
    Effect.forEach(servers, (server) => runStatement(onServer(server, "postgres"), statement), { discard: true })
  yield* Effect.acquireRelease(inEach(`create database "${database}"`), () =>
    // The drop fails if a process of Citus connects to the database meanwhile.
    Effect.orDie(Effect.retry(inEach(`drop database if exists "${database}" with (force)`), { times: 20 }))
  )
  const urls = servers.map((server) => onServer(server, database))
  const [main = coordinator] = urls
  yield* Effect.forEach(urls, (url) => runStatement(url, "create extension citus"))
  const { hostname, port } = new URL(coordinator)
  yield* runStatement(main, `select citus_set_coordinator_host('${hostname}', ${port === "" ? 5432 : port})`)
  // citus_add_node fails while the cluster of another test file changes the same roles.
  for (const { host, port } of workers)
    yield* Effect.retry(runStatement(main, `select citus_add_node('${host}', ${port})`), { times: 20 })
  yield* Effect.provide(
    Effect.andThen(migrate, setBlockLength(testBlockLength)),
    Database.layer({ url: Redacted.make(main), connections_max: 1 })
  )
  return urls
}, Effect.orDie)
