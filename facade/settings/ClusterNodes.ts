import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { workers } from "../../adapters/postgres/schema/CitusCell.ts"
import type { NodeAddress } from "./NodeSettings.ts"

/** The given address with its host and port replaced. */
const onServer = (url: Redacted.Redacted, host: string, port: number): Redacted.Redacted => {
  const address = new URL(Redacted.value(url))
  address.hostname = host.includes(":") ? `[${host}]` : host
  address.port = String(port)
  return Redacted.make(address.href)
}

/**
 * The workers of the Citus cluster that the database coordinates, by the name of the node: `citus` and the number of the
 * worker's group. On each worker Saldo uses the login and the database of the given addresses. Empty in a database without
 * Citus. Also empty if the database does not answer, because the start then reports the failure.
 */
export const clusterNodes = Effect.fn("ClusterNodes.read")(
  function* (url: Redacted.Redacted, migrationUrl: Redacted.Redacted | null) {
    const context = yield* Layer.build(Layer.fresh(Database.layer({ url, connections_max: 1 })))
    const found = yield* Effect.provideService(workers, SqlClient.SqlClient, Context.get(context, SqlClient.SqlClient))
    return found.map(({ group, host, port }): readonly [string, NodeAddress] => [
      `citus${group}`,
      {
        url: onServer(url, host, port),
        migrationUrl: migrationUrl === null ? null : onServer(migrationUrl, host, port)
      }
    ])
  },
  Effect.scoped,
  Effect.orElseSucceed((): ReadonlyArray<readonly [string, NodeAddress]> => [])
)
