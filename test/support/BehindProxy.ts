import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { cuttingProxy } from "./CuttingProxy.ts"
import { testDatabaseUrl } from "./Database.ts"

/** Connections to the test's database that run through a proxy, which can be told to break. */
export const behindProxy = Effect.gen(function* () {
  const url = new URL(yield* testDatabaseUrl)
  const proxy = yield* cuttingProxy(Number(url.port))
  url.port = String(proxy.port)
  const connected = yield* Layer.build(
    Layer.fresh(PgClient.layer({ url: Redacted.make(url.href), minConnections: 2, maxConnections: 2 }))
  )
  return { connected, proxy }
})
