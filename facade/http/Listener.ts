import { readFileSync } from "node:fs"
import type { Server } from "node:http"
import { Duration, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { drain_max, InFlight } from "../../core/workflows/InFlight.ts"
import { CannotListen, cannotListen } from "../settings/ListenAddress.ts"
import { Settings } from "../settings/Settings.ts"
import { makeServer } from "./ClientErrors.ts"
import { layerServer } from "./Connections.ts"
import { type Exchange, onExchange, requestEvents } from "./NodeServer.ts"

type Tls = Settings["Service"]["tls"]

const certificateOf = (tls: Tls) =>
  tls === null ? undefined : { cert: readFileSync(tls.certificateFile), key: readFileSync(tls.keyFile) }

/**
 * Queues the requests that arrive after the server begins to listen and before its handler is attached, so that no
 * request is lost.
 */
const holdEarly = (server: Server): Server => {
  const early: Array<Parameters<(typeof server)["emit"]>> = []
  const holds = requestEvents.map(
    (event) => [event, (...exchange: ReadonlyArray<unknown>) => void early.push([event, ...exchange])] as const
  )
  for (const [event, hold] of holds) server.on(event, hold)
  server.on("newListener", function attached(event) {
    if (event !== "request") return
    server.off("newListener", attached)
    for (const [event, hold] of holds) server.off(event, hold)
    setImmediate(() => {
      for (const request of early) server.emit(...request)
    })
  })
  return server
}

/**
 * Closes each connection with its next response after the server begins to stop, so that a busy connection does not
 * delay the stop.
 */
const closingWhenStopped = (server: Server): Server =>
  onExchange(server, (_request, response) => {
    if (!server.listening) response.setHeader("connection", "close")
  })

/** How long a stopping server waits for requests that cannot be sales. With this limit the process ends within five seconds. */
const others_max = Duration.seconds(3)

/** Whether the exchange may be a sale without a response. A request that has not arrived completely is no sale. */
const mayBeSale = ({ request, response }: Exchange): boolean =>
  request.method === "POST" && request.complete && !response.writableEnded

/** How many files a process may need besides the connections of its clients: for the database, providers and logs. */
const otherFiles_max = 500

/** Minimum number of connections, even if the system allows few open files. */
const connections_min = 10

/** How many connections a process can accept with this limit of open files. */
export const connectionsWithin = (wanted: number, openFiles_max: number | "unlimited"): number =>
  openFiles_max === "unlimited" ? wanted : Math.max(connections_min, Math.min(wanted, openFiles_max - otherFiles_max))

/** The relevant part of Node's report on its process. */
interface ProcessReport {
  readonly userLimits: { readonly open_files: { readonly soft: number | "unlimited" } }
}

const acceptableConnections = Effect.fnUntraced(function* (wanted: number) {
  // A report with the network would look up the name of each peer. Node's types lack this property.
  const report = Object.assign(process.report, { excludeNetwork: true }).getReport() as ProcessReport
  const files = report.userLimits.open_files.soft
  const connections_max = connectionsWithin(wanted, files)
  if (connections_max < wanted)
    yield* Effect.logWarning("fewer connections than MAX_CONNECTIONS are accepted: raise the limit of open files", {
      connections_max,
      files
    })
  return connections_max
})

const listen = Effect.fnUntraced(function* ({ http, openConnections_max, tls }: Settings["Service"]) {
  const make = yield* makeServer
  const connections_max = yield* acceptableConnections(openConnections_max)
  const server = yield* Effect.try({
    try: () => holdEarly(closingWhenStopped(make({ certificate: certificateOf(tls), connections_max }))),
    catch: (cause) =>
      new CannotListen({
        message: `the certificate cannot be used (${String(cause)}): check TLS_CERT_FILE and TLS_KEY_FILE`
      })
  })
  const { isBusy } = yield* InFlight
  const mayStay = Effect.map(isBusy, (selling) => (exchange: Exchange) => selling && mayBeSale(exchange))
  // When the server stops, open responses have as much time to finish as the sales that they wait for.
  return layerServer(server, { ...http, drain_max, mayStay, others_max }).pipe(
    Layer.catchTag("ServeError", ({ cause }) =>
      Layer.effect(HttpServer.HttpServer, cannotListen(cause, http, { host: "HOST", port: "PORT" }))
    )
  )
})

/** Listens on the address in the settings. Uses HTTPS if a certificate is configured. */
export const layer = Layer.unwrap(Settings.use(listen))
