import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as Http from "../../http/Http.ts"
import * as Listener from "../../http/Listener.ts"
import { Gauges } from "../../ops/Gauges.ts"
import * as Ops from "../../ops/Ops.ts"
import { Readiness } from "../../ops/Readiness.ts"
import { ready, watching } from "../../ops/Watching.ts"
import { server, withTelemetry } from "../../Server.ts"
import { Settings } from "../../settings/Settings.ts"
import { Store } from "../../settings/Store.ts"
import { banner, readiness } from "../terminal/Banner.ts"
import { print } from "../terminal/Output.ts"

const announced = Layer.effectDiscard(
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const { place } = yield* Store
    const port = "port" in address ? address.port : 0
    const { url } = yield* Ops.Ops
    const started = { settings: yield* Settings, port, place, ops: url }
    yield* print(readiness(started), banner(started))
  })
)

/**
 * Listens when all else is ready, and stops listening before anything else stops. The operations port is there first,
 * and to the last.
 */
export const serving = Layer.merge(announced, ready).pipe(
  Layer.provide(Http.layer),
  Layer.provide(Listener.layer),
  Layer.provide(NodeHttpServer.layerHttpServices),
  Layer.provide(watching),
  Layer.provide(server),
  Layer.provide(Ops.layer),
  Layer.provide([Readiness.layer, Gauges.layer]),
  Layer.provide(withTelemetry)
)
