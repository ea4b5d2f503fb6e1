import { NodeHttpServer } from "@effect/platform-node"
import { ConfigProvider, Context, Effect, Layer, Redacted } from "effect"
import { ports } from "../../../facade/App.ts"
import * as Http from "../../../facade/http/Http.ts"
import * as Listener from "../../../facade/Listener.ts"
import { Store } from "../../../facade/Store.ts"
import { Running } from "../../facade/support/Running.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { OwnTime } from "./OwnTime.ts"
import { Script, scripted } from "./Script.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** So many calls a minute that no test meets the limit by chance. */
const many = "1000000"

const everywhere: Environment = {
  PORT: "0",
  PG_POOL_MAX: "6",
  LOG_LEVEL: "none",
  TRUST_PROXY: "on",
  RATE_LIMIT_PER_MINUTE: many,
  RATE_LIMIT_ADDRESS_PER_MINUTE: many
}

const serverOn = (url: string, environment: Environment) =>
  Running.layer.pipe(
    Layer.merge(Http.layer),
    Layer.provide(Listener.layer),
    Layer.provide(NodeHttpServer.layerHttpServices),
    Layer.provideMerge(scripted),
    Layer.provideMerge(ports),
    Layer.provide(
      Layer.succeed(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ ...everywhere, ...environment, DATABASE_URL: url })
      )
    )
  )

/**
 * The whole service as `serve` starts it, on a database of its own, with time and misfortune in the hands of the test.
 * Recovery runs when a test runs it.
 */
export const testServer = (environment: Environment) =>
  Layer.unwrap(Effect.map(freshDatabaseUrl, (url) => serverOn(url, environment))).pipe(
    Layer.provideMerge(Layer.merge(OwnTime.layer, Script.layer))
  )

/** The same, as most tests want it. */
export const TestServer = testServer({})

/** Another server on the same database; answers a way to make calls of that one. */
export const another = Effect.fnUntraced(function* (environment: Environment = {}) {
  const { url } = yield* Store
  const context = yield* Layer.build(Layer.fresh(serverOn(Redacted.value(url), environment)))
  return Effect.provideService(Running, Context.get(context, Running))
})
