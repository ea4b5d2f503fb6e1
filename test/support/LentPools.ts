import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Scope } from "effect"
import { OpenPool } from "../../adapters/postgres/connection/Database.ts"

/**
 * Pools that commands and servers of a test use one after the other. Each pool has one user at a time, so users that run at
 * the same time have connections of their own, as separate processes do. A new connection takes 30 ms of processor time,
 * and its first calls take longer, because Postgres compiles functions for each connection.
 */
export const lentPools = Layer.effect(
  OpenPool,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const idle = new Map<string, Array<PgClient.PgClient>>()
    return (config) => {
      const { applicationName, maxConnections, startupParameters, stream, url } = config
      // The watch of a node closes the sockets that it has opened. A lent pool would have the sockets of an earlier watch.
      if (stream !== undefined || url === undefined) return PgClient.make(config)
      const key = JSON.stringify([Redacted.value(url), applicationName, startupParameters, maxConnections])
      const free = idle.get(key) ?? []
      idle.set(key, free)
      return Effect.acquireRelease(
        Effect.suspend(() => {
          const pool = free.pop()
          return pool === undefined ? Scope.provide(PgClient.make(config), scope) : Effect.succeed(pool)
        }),
        (pool) => Effect.sync(() => free.push(pool))
      )
    }
  })
)
