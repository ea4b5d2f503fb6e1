import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ConfigProvider, Layer } from "effect"
import * as AuditPostgres from "../../adapters/postgres/AuditPostgres.ts"
import * as Http from "../../facade/http/Http.ts"
import * as Listener from "../../facade/http/Listener.ts"
import { ports } from "../../facade/Server.ts"
import { OwnTime } from "../../tools/world/OwnTime.ts"
import { Running } from "../../tools/world/Running.ts"
import { Line } from "../request/Line.ts"

/** How often an address may call in a minute; each request but those of the crowd has an address of its own. */
export const addressCalls_max = 60

const environment = {
  PORT: "0",
  PG_POOL_MAX: "8",
  LOG_LEVEL: "none",
  TRUST_PROXY: "on",
  RATE_LIMIT_PER_MINUTE: "1000000",
  RATE_LIMIT_ADDRESS_PER_MINUTE: String(addressCalls_max)
}

/**
 * The whole service as `serve` starts it, on a database of its own. Its time passes, and it recovers, when the fuzzer
 * says so: what an answer may change is then known.
 */
export const worldOn = (databaseUrl: string) =>
  Layer.merge(Line.layer.pipe(Layer.provide(Running.layer)), Http.layer).pipe(
    Layer.provide(Listener.layer),
    Layer.provide(NodeHttpServer.layerHttpServices),
    Layer.provideMerge(Layer.merge(AuditPostgres.layer.pipe(Layer.provide(ports)), ports)),
    Layer.provide(
      Layer.succeed(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ ...environment, DATABASE_URL: databaseUrl })
      )
    ),
    Layer.provideMerge(OwnTime.layer)
  )
