import { Effect, Layer } from "effect"
import { freePort } from "../adapters/embedded/EmbeddedCluster.ts"
import { baseLayer } from "./AppLayer.ts"
import * as Ops from "./ops/OperationsPort.ts"
import { telemetry } from "./ops/Telemetry.ts"
import { Workers } from "./processes/Workers.ts"
import { type Started, startedAt } from "./Started.ts"
import { DatabaseServer } from "./settings/DatabaseServer.ts"
import { Settings } from "./settings/Settings.ts"

// With PORT=0 the primary process chooses the port, so that workers that start later use the same port.
const chosenPort = Settings.use(({ http: { port } }) =>
  port === 0 ? Effect.promise(() => freePort(0)) : Effect.succeed(port)
)

const serving = Effect.gen(function* () {
  const { processes } = yield* Settings
  const { keep } = yield* Workers
  const port = yield* chosenPort
  yield* keep(processes, { PORT: String(port) })
  return yield* startedAt(port)
})

/**
 * The primary process of `saldo serve` with several workers. Calls `announce` once all workers accept calls. It has the
 * operations port, the embedded Postgres and the operator console, and handles no calls itself.
 */
export const primaryLayer = (announce: (started: Started) => Effect.Effect<void>) =>
  Layer.effectDiscard(Effect.flatMap(serving, announce)).pipe(
    Layer.provide(DatabaseServer.layer),
    Layer.provide(Ops.layer),
    Layer.provide(Workers.layer),
    Layer.provide(Layer.provideMerge(telemetry, baseLayer))
  )
