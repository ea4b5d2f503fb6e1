import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { createServer as createSecureServer } from "node:https"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { drain_max } from "../../core/workflows/InFlight.ts"
import { CannotListen, cannotListen } from "../settings/ListenAddress.ts"
import { Settings } from "../settings/Settings.ts"
import { answeringClientErrors, serverOptions } from "./ClientErrors.ts"
import { beginnings, onExchange } from "./Exchanges.ts"

type Tls = Settings["Service"]["tls"]

const serverOf = (tls: Tls): Server => {
  if (tls === null) return createServer(serverOptions)
  const certificate = { cert: readFileSync(tls.certificateFile), key: readFileSync(tls.keyFile) }
  return createSecureServer({ ...serverOptions, ...certificate })
}

/** A call that comes between listening and the first handler would never be answered; it waits for that handler. */
const holdEarly = (server: Server): Server => {
  const early: Array<Parameters<(typeof server)["emit"]>> = []
  const holds = beginnings.map(
    (beginning) =>
      [beginning, (...exchange: ReadonlyArray<unknown>) => void early.push([beginning, ...exchange])] as const
  )
  for (const [beginning, hold] of holds) server.on(beginning, hold)
  server.on("newListener", function attached(event) {
    if (event !== "request") return
    server.off("newListener", attached)
    for (const [beginning, hold] of holds) server.off(beginning, hold)
    setImmediate(() => {
      for (const call of early) server.emit(...call)
    })
  })
  return server
}

/** Closes each connection with its next answer once the server has stopped listening: a busy one would hold it up. */
const closingWhenStopped = (server: Server): Server =>
  onExchange(server, (_request, response) => {
    if (!server.listening) response.setHeader("connection", "close")
  })

const listen = Effect.fnUntraced(function* ({ http, tls }: Settings["Service"]) {
  const answering = yield* answeringClientErrors
  const server = yield* Effect.try({
    try: () => holdEarly(closingWhenStopped(answering(serverOf(tls)))),
    catch: (cause) =>
      new CannotListen({
        message: `the certificate cannot be used (${String(cause)}): check TLS_CERT_FILE and TLS_KEY_FILE`
      })
  })
  // Answers under way are waited for as long as the sales behind them.
  return NodeHttpServer.layerServer(() => server, { ...http, gracefulShutdownTimeout: drain_max }).pipe(
    Layer.catchTag("ServeError", ({ cause }) =>
      Layer.effect(HttpServer.HttpServer, cannotListen(cause, http, { host: "HOST", port: "PORT" }))
    )
  )
})

/** Listens where the settings say, with HTTPS when a certificate is set. */
export const layer = Layer.unwrap(Settings.use(listen))
