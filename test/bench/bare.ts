import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"

// The smallest server on the same HTTP library: it answers every call with "ok". The time that Saldo takes beyond this
// server is spent in Saldo's own code.

const announced = Layer.effectDiscard(
  HttpServer.HttpServer.use(({ address }) =>
    Console.log(`ready at http://127.0.0.1:${"port" in address ? address.port : 0}`)
  )
)

announced.pipe(
  Layer.provide(HttpServer.serve(Effect.succeed(HttpServerResponse.text("ok")))),
  Layer.provide(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
  Layer.launch,
  NodeRuntime.runMain
)
