import { Context, Layer } from "effect"
import { HttpServer } from "effect/http"

/** Where the service that is looked at listens. */
export class Running extends Context.Service<Running, { readonly url: string; readonly port: number }>()(
  "tools/Running"
) {
  static readonly layer = Layer.effect(
    Running,
    HttpServer.HttpServer.useSync(({ address }) => {
      const port = "port" in address ? address.port : 0
      return { port, url: `http://127.0.0.1:${port}` }
    })
  )
}
