import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo, Socket } from "node:net"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { RequestCounter } from "./FakeServer.ts"

/** A delivery as it arrived at a receiver. */
export interface ReceivedDelivery {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly text: string
}

/** Signs a delivery with the secret. Uses a library instead of Saldo's own implementation. */
export const signatureBy = (
  secret: string,
  { headers, text: body }: { readonly headers: Readonly<Record<string, unknown>>; readonly text: string }
): string =>
  new Webhook(secret).sign(String(headers["webhook-id"]), new Date(Number(headers["webhook-timestamp"]) * 1000), body)

/** Responds to a delivery. May also write to the connection directly. */
export type Respond = (response: ServerResponse, socket: Socket, delivery: ReceivedDelivery) => void

interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/**
 * A receiver of webhooks on a free local port. It stops with the scope.
 *
 * @param tls the certificate of the receiver. Without a certificate, the receiver speaks http.
 */
export const startReceiver = (respond: Respond, tls?: TlsFiles) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const deliveries: Array<ReceivedDelivery> = []
      const [arrived, opened, closed] = [new RequestCounter(), new RequestCounter(), new RequestCounter()]
      const server = tls === undefined ? createServer() : createTlsServer(tls)
      server.on("connection", (socket: Socket) => {
        opened.arrive()
        socket.on("close", () => closed.arrive()).on("error", () => {})
      })
      server.on("request", async (request: IncomingMessage, response: ServerResponse) => {
        const { headers, method = "", socket, url = "" } = request
        const delivery = { method, path: url, headers, text: await text(request) }
        deliveries.push(delivery)
        respond(response, socket, delivery)
        arrived.arrive()
      })
      await once(server.listen(0, "127.0.0.1"), "listening")
      const { port } = server.address() as AddressInfo
      return { server, port, deliveries, arrived, opened, closed }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((closed) => server.close(closed))
      })
  )
