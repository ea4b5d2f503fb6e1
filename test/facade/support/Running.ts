import { Context, Layer } from "effect"
import { HttpServer } from "effect/http"

/** Where the service under test listens. */
export class Running extends Context.Service<Running, { readonly url: string; readonly port: number }>()(
  "test/Running"
) {
  static readonly layer = Layer.effect(
    Running,
    HttpServer.HttpServer.useSync(({ address }) => {
      const port = "port" in address ? address.port : 0
      return { port, url: `http://127.0.0.1:${port}` }
    })
  )
}
