import { Server as HttpServer } from "node:http"
import { type AddressInfo, createServer, type Server } from "node:net"
import { Effect } from "effect"

/** Listens on a free local port until the scope closes. Returns the port. */
export const listenLocally = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () =>
      Effect.sync(() => {
        if (server instanceof HttpServer) server.closeAllConnections()
        server.close()
      })
  )

/** Listens on a free local port until the scope closes. Returns the URL. */
export const serveLocally = (server: HttpServer) =>
  Effect.map(listenLocally(server), (port) => `http://127.0.0.1:${port}`)

/** A local port that no server uses, for a program that takes its port as an argument. */
export const freePort = Effect.scoped(Effect.suspend(() => listenLocally(createServer())))
