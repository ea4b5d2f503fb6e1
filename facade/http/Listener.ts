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

/** Holds the requests that arrive after the server listens and before its handler is attached, so that none is lost. */
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

/** Closes each connection with its next response once the server stops, so that no busy connection delays the stop. */
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
  // A stop waits for responses as long as it waits for the sales behind them.
  return NodeHttpServer.layerServer(() => server, { ...http, gracefulShutdownTimeout: drain_max }).pipe(
    Layer.catchTag("ServeError", ({ cause }) =>
      Layer.effect(HttpServer.HttpServer, cannotListen(cause, http, { host: "HOST", port: "PORT" }))
    )
  )
})

/** Listens where the settings say, with HTTPS when a certificate is set. */
export const layer = Layer.unwrap(Settings.use(listen))
