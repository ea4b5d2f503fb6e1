import { flushCompileCache } from "node:module"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, type Context, Deferred, Effect, Layer, Logger } from "effect"
import { HttpServer } from "effect/http"
import { Insurances } from "../../../core/ports/Insurances.ts"
import { type Insurer, Insurers } from "../../../core/ports/Insurer.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { type Provider, Providers } from "../../../core/ports/Provider.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import { Unresolved } from "../../../core/ports/Unresolved.ts"
import { keepRecovering } from "../../../core/workflows/Recover.ts"
import * as Http from "../../../facade/http/Http.ts"
import * as Listener from "../../../facade/http/Listener.ts"
import { portsLayer } from "../../../facade/ServerLayer.ts"
import { CrashPoints } from "./CrashPoints.ts"
import * as SharedClock from "./SharedClock.ts"
import { readStdinCommands, ServerCommand } from "./StdinCommands.ts"

/** A port like the one below it, with points around some of its calls. */
const withPoints = <Self, Shape>(
  port: Context.Key<Self, Shape>,
  wrap: (real: Shape, points: CrashPoints["Service"]) => Shape
) =>
  Layer.effect(
    port,
    Effect.gen(function* () {
      return wrap(yield* port, yield* CrashPoints)
    })
  )

const isNotEmpty = (claimed: ReadonlyArray<unknown>): boolean => claimed.length > 0

const ledger = withPoints(Ledger, (real, { around }) => ({
  ...real,
  reserve: (intent) => around("reserve", real.reserve(intent)),
  settle: (settlement) => around("settle", real.settle(settlement))
}))

const reversals = withPoints(Reversals, (real, { around }) => ({
  begin: (intent) => around("begin reversal", real.begin(intent)),
  settle: (settlement) => around("settle reversal", real.settle(settlement)),
  claim: (wanted) => around("claim reversals", real.claim(wanted), isNotEmpty)
}))

const unresolved = withPoints(Unresolved, (real, { around }) => ({
  claim: (wanted) => around("claim sales", real.claim(wanted), isNotEmpty)
}))

const insurances = withPoints(Insurances, (real, { around }) => ({
  ...real,
  beginIssue: (order) => around("begin issue", real.beginIssue(order))
}))

const providers = withPoints(Providers, (real, { around }) => {
  const met = (provider: Provider): Provider => ({
    ...provider,
    dispatch: (order) => around("dispatch", provider.dispatch(order)),
    status: (order) => around("ask", provider.status(order)),
    reverse: (reversal) => around("reverse", provider.reverse(reversal)),
    reversalStatus: (reversal) => around("ask reversal", provider.reversalStatus(reversal))
  })
  return { ...real, serving: (environment) => Effect.map(real.serving(environment), met) }
})

const insurers = withPoints(Insurers, (real, { around }) => {
  const met = (insurer: Insurer): Insurer => ({
    ...insurer,
    issue: (order) => around("issue", insurer.issue(order)),
    status: (order) => around("ask insurer", insurer.status(order))
  })
  return { serving: (environment) => Effect.map(real.serving(environment), met) }
})

/** The ports through which money moves, with the points at which the process may die. */
export const crashingPorts = Layer.mergeAll(ledger, reversals, unresolved, insurances, providers, insurers)

// The service as `saldo serve` puts it together, on ports at which it can be told to die, and on the time of the run.

const announced = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  // Node keeps what it has compiled when a process ends in order. None does here, and the next one starts sooner by it.
  flushCompileCache()
  yield* Console.log(`ready at http://127.0.0.1:${"port" in address ? address.port : 0}`)
})

// Whoever started this process is gone, or wants it gone, when no more orders can come.
const obeying = (begun: Deferred.Deferred<void>) =>
  CrashPoints.use(({ meet }) =>
    readStdinCommands(
      ServerCommand,
      ServerCommand.match({
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
  Layer.provide(crashingPorts),
  Layer.provide(portsLayer)
)

const main = Effect.gen(function* () {
  const begun = yield* Deferred.make<void>()
  yield* Effect.raceFirst(Effect.andThen(Deferred.await(begun), Layer.launch(serving)), obeying(begun))
})

main.pipe(
  Effect.provide(CrashPoints.layer),
  // What this process says is read by whoever started it.
  Effect.provideService(Logger.LogToStderr, true),
  Effect.provide(Layer.unwrap(Effect.map(Config.String("CRASH_TIME_FILE"), SharedClock.layer))),
  NodeRuntime.runMain
)
