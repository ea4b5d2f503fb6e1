import { connect } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ConfigProvider, Context, Effect, Layer, Metric } from "effect"
import * as Http from "../../../facade/http/Http.ts"
import * as Listener from "../../../facade/http/Listener.ts"
import { Gauges } from "../../../facade/ops/Gauges.ts"
import { Health } from "../../../facade/ops/Health.ts"
import { acceptingCalls, auditing, Readiness, readinessChecks } from "../../../facade/ops/Monitoring.ts"
import * as Ops from "../../../facade/ops/OperationsPort.ts"
import { baseWithTelemetry, portsLayer } from "../../../facade/ServerLayer.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock, ServiceAddress } from "../../support/InProcessService.ts"
import { Script, scripted } from "../../support/service/ScriptedPorts.ts"

type Environment = Readonly<Record<string, string>>

/** Address of the operations port. */
class OperationsAddress extends Context.Service<OperationsAddress, { readonly url: string }>()("test/Watched") {
  static readonly layer = Layer.effect(
    OperationsAddress,
    Ops.OperationsPort.useSync(({ url }) => ({ url: url ?? "nowhere" }))
  )
}

const defaults: Environment = {
  PORT: "0",
  OPS_PORT: "0",
  AUDIT_EVERY: "off",
  PG_POOL_MAX: "4",
  LOG_LEVEL: "none",
  TRUST_PROXY: "on"
}

const serverOn = (url: string, environment: Environment) =>
  Layer.mergeAll(OperationsAddress.layer, ServiceAddress.layer, acceptingCalls, Http.layer).pipe(
    Layer.provide(Listener.layer),
    Layer.provide(NodeHttpServer.layerHttpServices),
    Layer.provide(Layer.merge(readinessChecks, auditing)),
    Layer.provideMerge(scripted),
    Layer.provideMerge(portsLayer),
    Layer.provide(Ops.layer),
    Layer.provide(Health.layer),
    Layer.provide([Readiness.layer, Gauges.layer]),
    Layer.provide(baseWithTelemetry),
    Layer.provide(
      Layer.succeed(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ ...defaults, ...environment, DATABASE_URL: url })
      )
    )
  )

/**
 * The whole service with its operations port, its own database, a clock that the test controls and an empty metric
 * registry. Recovery runs only when a test runs it.
 */
export const monitoredServer = (environment: Environment = {}) =>
  Layer.unwrap(Effect.map(freshDatabaseUrl, (url) => serverOn(url, environment))).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        ManualClock.layer,
        Script.layer,
        Layer.sync(Metric.MetricRegistry, () => new Map())
      )
    )
  )

/** Calls the operations port. */
export const getOperations = Effect.fnUntraced(function* (path: string) {
  const { url } = yield* OperationsAddress
  return yield* Effect.promise(async () => {
    const response = await fetch(url + path)
    return { status: response.status, text: await response.text() }
  })
})

/**
 * Sends bytes to the operations port, and keeps sending until the server closes the connection. Returns the text that
 * the server sent.
 */
export const sendUntilClosed = Effect.fnUntraced(function* (bytes: string) {
  const { url } = yield* OperationsAddress
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  let said = ""
  socket.setEncoding("latin1").on("data", (more) => {
    said += more
  })
  socket.on("error", () => {})
  socket.write(bytes)
  const isClosed = Effect.sync(() => {
    if (said !== "") socket.write("more")
    return socket.closed
  })
  yield* Effect.ensuring(
    eventually(isClosed, Boolean),
    Effect.sync(() => socket.destroy())
  )
  return said
})

/** The current value of each metric series. */
export const metrics = Effect.map(
  getOperations("/metrics"),
  ({ text }) =>
    new Map(
      text.split("\n").flatMap((line) => {
        const [, series = "", value = ""] = /^(saldo_\S.*) (\S+)$/.exec(line) ?? []
        return series === "" ? [] : [[series, Number(value)] as const]
      })
    )
)
