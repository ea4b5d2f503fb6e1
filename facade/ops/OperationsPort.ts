import { Context, Duration, Effect, Layer } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { layerServer } from "../http/Connections.ts"
import { createNodeServer } from "../http/NodeServer.ts"
import { cannotListen, localUrl } from "../settings/ListenAddress.ts"
import { Settings } from "../settings/Settings.ts"
import { Health } from "./Health.ts"

type OpsSettings = NonNullable<Settings["Service"]["ops"]>

/** The address for health and metrics. Null if there is none. */
export class OperationsPort extends Context.Service<OperationsPort, { readonly url: string | null }>()(
  "saldo/facade/Ops"
) {}

/** Answers as long as the service runs. A supervisor can restart a service that does not answer, or answers 503. */
const livez = Effect.map(
  Health.use(({ isAlive }) => isAlive),
  (alive) => (alive ? HttpServerResponse.text("ok\n") : HttpServerResponse.text("a process hangs\n", { status: 503 }))
)

/** Whether the service accepts calls. */
const readyz = Effect.gen(function* () {
  const health = yield* Health
  const [missing, cells_down] = yield* Effect.all([health.missing, health.cellsDown], { concurrency: "unbounded" })
  const ready = missing.length === 0
  return HttpServerResponse.jsonUnsafe({ ready, missing, cells_down }, { status: ready ? 200 : 503 })
})

const metrics = Effect.map(
  Health.use((health) => health.metrics),
  (text) => HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
)

const notFound = Effect.succeed(
  HttpServerResponse.text("There are /livez, /readyz and /metrics here.\n", { status: 404 })
)

const routes = new Map<string, Effect.Effect<HttpServerResponse.HttpServerResponse, never, Health>>([
  ["/livez", livez],
  ["/readyz", readyz],
  ["/metrics", metrics]
])

// Requests to this port are not traced, because frequent probes would bury the traces of sales.
const app = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
  Effect.withTracerEnabled(routes.get(url.replace(/\?.*/, "")) ?? notFound, false)
)

/** How long the operations port waits for open responses when it stops. */
const stop_max = Duration.millis(500)

const listening = ({ host, port }: OpsSettings) =>
  Layer.merge(
    Layer.effect(
      OperationsPort,
      HttpServer.HttpServer.useSync(({ address }) => ({
        url: localUrl("http", { host, port: "port" in address ? address.port : port })
      }))
    ),
    HttpServer.serve(app)
  ).pipe(
    Layer.provide(
      layerServer(createNodeServer({}), {
        host,
        port,
        drain_max: stop_max,
        others_max: stop_max,
        mayStay: Effect.succeed(() => false)
      })
    )
  )

const notListening = Layer.succeed(OperationsPort, { url: null })

/** Starts without an operations port if another program, such as a second Saldo, uses the default port. */
const withoutPort = (message: string) =>
  Layer.effect(
    OperationsPort,
    Effect.as(Effect.logWarning(`health and metrics are not available: ${message}`), { url: null })
  )

const listeningOrWithout = (settings: OpsSettings) =>
  listening(settings).pipe(
    Layer.catchTag("ServeError", ({ cause }) => {
      const failure = cannotListen(cause, settings, { host: "OPS_HOST", port: "OPS_PORT" })
      return settings.wanted ? Layer.effect(OperationsPort, failure) : withoutPort(failure.message)
    })
  )

/**
 * Serves health and metrics on a separate port, from before the database is connected until everything else has
 * stopped.
 */
export const layer = Layer.unwrap(
  Settings.useSync(({ ops }) => (ops === null ? notListening : listeningOrWithout(ops)))
)
