import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Scope } from "effect"
import { OpenPool } from "../../adapters/postgres/connection/Database.ts"

/**
 * Pools that commands and servers of a test use one after the other. Each pool has one user at a time, so users that run at
 * the same time have connections of their own, as separate processes do. A new connection takes 30 ms of processor time,
 * and more until its functions are compiled.
 */
export const lentPools = Layer.effect(
  OpenPool,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const idle = new Map<string, Array<PgClient.PgClient>>()
    return (config) => {
      const { applicationName, maxConnections, startupParameters, stream, url } = config
      // A node's watch closes the sockets that it has opened, so it needs its own.
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
