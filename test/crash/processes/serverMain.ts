import { flushCompileCache } from "node:module"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, type Context, DateTime, Deferred, Effect, Layer, Logger } from "effect"
import { HttpServer } from "effect/http"
import { Closings } from "../../../core/ports/Closings.ts"
import { Deliveries } from "../../../core/ports/Deliveries.ts"
import { Insurances } from "../../../core/ports/Insurances.ts"
import { type Insurer, Insurers } from "../../../core/ports/Insurer.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { type Provider, Providers } from "../../../core/ports/Provider.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import { Unresolved } from "../../../core/ports/Unresolved.ts"
import { WebhookSender } from "../../../core/ports/WebhookSender.ts"
import { keepDelivering } from "../../../core/workflows/DeliverEvents.ts"
import { keepRecovering } from "../../../core/workflows/Recover.ts"
import { eventView } from "../../../facade/api/EventView.ts"
import * as Http from "../../../facade/http/Http.ts"
import * as Listener from "../../../facade/http/Listener.ts"
import { closeDaysWith, closingsLayer, portsLayer } from "../../../facade/ServerLayer.ts"
import { CrashPoints } from "./CrashPoints.ts"
import * as SharedClock from "./SharedClock.ts"
import { readStdinCommands, ServerCommand } from "./StdinCommands.ts"

/** Wraps a port so that some of its calls have crash points. */
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
  const wrapped = (provider: Provider): Provider => ({
    ...provider,
    dispatch: (order) => around("dispatch", provider.dispatch(order)),
    status: (order) => around("ask", provider.status(order)),
    reverse: (reversal) => around("reverse", provider.reverse(reversal)),
    reversalStatus: (reversal) => around("ask reversal", provider.reversalStatus(reversal))
  })
  return { ...real, serving: (environment) => Effect.map(real.serving(environment), wrapped) }
})

const insurers = withPoints(Insurers, (real, { around }) => {
  const wrapped = (insurer: Insurer): Insurer => ({
    ...insurer,
    issue: (order) => around("issue", insurer.issue(order)),
    status: (order) => around("ask insurer", insurer.status(order))
  })
  return { serving: (environment) => Effect.map(real.serving(environment), wrapped) }
})

const deliveries = withPoints(Deliveries, (real, { around }) => ({
  ...real,
  claim: (wanted) => around("claim deliveries", real.claim(wanted), isNotEmpty),
  record: (claimed, result) => around("record delivery", real.record(claimed, result))
}))

const webhookSender = withPoints(WebhookSender, (real, { around }) => ({
  ...real,
  send: (request) => around("send event", real.send(request))
}))

const closings = withPoints(Closings, (real, { around }) => ({
  ...real,
  // The clock of Postgres does not follow the time of the run.
  hasPassed: (instant) => Effect.map(DateTime.now, DateTime.isGreaterThanOrEqualTo(instant)),
  end: (day) => around("end day", real.end(day), (hasEnded) => hasEnded),
  figures: (day) => around("read figures", real.figures(day), (figures) => figures !== null),
  add: (day, text) => around("store closing", real.add(day, text))
}))

/** The ports that move money and the ports that deliver events, with the crash points around their calls. */
export const crashingPorts = Layer.mergeAll(
  ledger,
  reversals,
  unresolved,
  insurances,
  providers,
  insurers,
  deliveries,
  webhookSender
)

// The service as `saldo serve` composes it, with two changes: its ports have crash points, and it runs on the shared
// time of the run.

const announceAddress = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  // Node writes its compile cache only on a regular exit, and this process is killed. The cache speeds up the next
  // start.
  flushCompileCache()
  yield* Console.log(`ready at http://127.0.0.1:${"port" in address ? address.port : 0}`)
})

// The end of the command stream means that the parent process ended or wants this process to end.
const commands = (begun: Deferred.Deferred<void>) =>
  CrashPoints.use(({ arm }) =>
    readStdinCommands(
      ServerCommand,
      ServerCommand.match({
        Serve: () => Effect.asVoid(Deferred.succeed(begun, undefined)),
        Arm: ({ planned }) => Effect.sync(() => arm(planned))
      })
    )
  )

const serving = Layer.mergeAll(
  Layer.effectDiscard(announceAddress),
  Layer.effectDiscard(Effect.forkScoped(keepRecovering)),
  Layer.effectDiscard(Effect.forkScoped(keepDelivering((event) => JSON.stringify(eventView(event))))),
  closeDaysWith(Layer.provide(closings, closingsLayer))
).pipe(
  Layer.provide(Http.layer),
  Layer.provide(Listener.layer),
  Layer.provide(NodeHttpServer.layerHttpServices),
  Layer.provide(crashingPorts),
  Layer.provide(portsLayer)
)

const main = Effect.gen(function* () {
  const begun = yield* Deferred.make<void>()
  yield* Effect.raceFirst(Effect.andThen(Deferred.await(begun), Layer.launch(serving)), commands(begun))
})

main.pipe(
  Effect.provide(CrashPoints.layer),
  // Stdout carries only the lines that the parent process reads.
  Effect.provideService(Logger.LogToStderr, true),
  Effect.provide(Layer.unwrap(Effect.map(Config.String("CRASH_TIME_FILE"), SharedClock.layer))),
  NodeRuntime.runMain
)
