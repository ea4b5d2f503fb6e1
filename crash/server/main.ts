import { flushCompileCache } from "node:module"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Deferred, Effect, Layer, Logger } from "effect"
import { HttpServer } from "effect/http"
import { keepRecovering } from "../../core/workflows/Recover.ts"
import * as Http from "../../facade/http/Http.ts"
import * as Listener from "../../facade/http/Listener.ts"
import { ports } from "../../facade/Server.ts"
import { told } from "../process/Told.ts"
import * as SharedClock from "../time/SharedClock.ts"
import { crashing } from "./Crashing.ts"
import { Order } from "./Order.ts"
import { Points } from "./Points.ts"

// The service as `saldo serve` puts it together, on ports at which it can be told to die, and on the time of the run.

const announced = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  // Node keeps what it has compiled when a process ends in order. None does here, and the next one starts sooner by it.
  flushCompileCache()
  yield* Console.log(`ready at http://127.0.0.1:${"port" in address ? address.port : 0}`)
})

// Whoever started this process is gone, or wants it gone, when no more orders can come.
const obeying = (begun: Deferred.Deferred<void>) =>
  Points.use(({ meet }) =>
    told(
      Order,
      Order.match({
        Serve: () => Effect.asVoid(Deferred.succeed(begun, undefined)),
        Meet: ({ fate }) => Effect.sync(() => meet(fate))
      })
    )
  )

const serving = Layer.merge(
  Layer.effectDiscard(announced),
  Layer.effectDiscard(Effect.forkScoped(keepRecovering))
).pipe(
  Layer.provide(Http.layer),
  Layer.provide(Listener.layer),
  Layer.provide(NodeHttpServer.layerHttpServices),
  Layer.provide(crashing),
  Layer.provide(ports)
)

const main = Effect.gen(function* () {
  const begun = yield* Deferred.make<void>()
  yield* Effect.raceFirst(Effect.andThen(Deferred.await(begun), Layer.launch(serving)), obeying(begun))
})

main.pipe(
  Effect.provide(Points.layer),
  // What this process says is read by whoever started it.
  Effect.provideService(Logger.LogToStderr, true),
  Effect.provide(Layer.unwrap(Effect.map(Config.String("CRASH_TIME_FILE"), SharedClock.layer))),
  NodeRuntime.runMain
)
