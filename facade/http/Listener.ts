import { readFileSync } from "node:fs"
import type { Server } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { drain_max } from "../../core/workflows/InFlight.ts"
import { CannotListen, cannotListen } from "../settings/ListenAddress.ts"
import { Settings } from "../settings/Settings.ts"
import { makeServer } from "./ClientErrors.ts"
import { onExchange, requestEvents } from "./NodeServer.ts"

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

const listen = Effect.fnUntraced(function* ({ http, tls }: Settings["Service"]) {
  const make = yield* makeServer
  const server = yield* Effect.try({
    try: () => holdEarly(closingWhenStopped(make(certificateOf(tls)))),
    catch: (cause) =>
      new CannotListen({
        message: `the certificate cannot be used (${String(cause)}): check TLS_CERT_FILE and TLS_KEY_FILE`
      })
  })
  // When the server stops, open responses have as much time to finish as the sales that they wait for.
  return NodeHttpServer.layerServer(() => server, { ...http, gracefulShutdownTimeout: drain_max }).pipe(
    Layer.catchTag("ServeError", ({ cause }) =>
      Layer.effect(HttpServer.HttpServer, cannotListen(cause, http, { host: "HOST", port: "PORT" }))
    )
  )
})

/** Listens on the address in the settings. Uses HTTPS if a certificate is configured. */
export const layer = Layer.unwrap(Settings.use(listen))
