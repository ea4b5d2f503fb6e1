import type { Server } from "node:http"
import { type ListenOptions, Server as NetServer, type Socket } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Duration, Effect, Layer, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { type Exchange, openExchanges } from "./NodeServer.ts"

type Sockets = ReadonlySet<Socket>

/**
 * Records the open sockets of a server. A TLS connection has two sockets: the TLS socket and the TCP socket below it.
 */
const trackSockets = (server: Server): Sockets => {
  const sockets = new Set<Socket>()
  for (const event of ["connection", "secureConnection"]) {
    server.on(event, (socket: Socket) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
    })
  }
  return sockets
}

/** The client's address and port. Both sockets of a TLS connection have the same peer. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** Makes the next response on each connection the last one, unless that response has already begun. */
const closeAfterResponse = (sockets: Sockets): void => {
  for (const socket of sockets) {
    const response = openExchanges(socket).at(-1)?.response
    if (response?.headersSent === false) response.setHeader("connection", "close")
  }
}

/** Cuts every connection that has no exchange that may stay open. */
const cut = (sockets: Sockets, mayStay: (exchange: Exchange) => boolean): void => {
  const staying = new Set([...sockets].filter((socket) => openExchanges(socket).some(mayStay)).map(peerOf))
  for (const socket of sockets) if (!staying.has(peerOf(socket))) socket.destroy()
}

const betweenCuts = Duration.seconds(1)

const betweenLooks = Duration.seconds(15)

/**
 * Lets Node cut a connection when the client reads nothing for `unread_max` although data is waiting. Each byte that
 * the client reads restarts the timeout. The timeout is set only on connections with waiting data, and Node's other
 * timeouts stay as they are.
 */
const limitUnreadTime = (sockets: Sockets, unread_max: Duration.Duration): void => {
  const unread_ms = Duration.toMillis(unread_max)
  for (const socket of sockets) {
    const isWaiting = socket.writableLength > 0
    if (isWaiting && !socket.timeout) socket.setTimeout(unread_ms)
    if (!isWaiting && socket.timeout === unread_ms) socket.setTimeout(0)
  }
}

/** Whether another worker process has replaced this one. If so, this process stops its listener and keeps idle connections. */
export const IsReplaced = Context.Reference<() => boolean>("saldo/facade/IsReplaced", {
  defaultValue: () => () => false
})

/** How often a replaced server checks whether all its connections have ended. */
const betweenChecks = Duration.millis(50)

export interface ConnectionOptions extends Pick<ListenOptions, "host" | "port"> {
  /** How long the server waits for open responses when it stops. */
  readonly drain_max: Duration.Duration
  /** How long the other requests may take, such as requests that have not arrived completely. */
  readonly others_max: Duration.Duration
  /** Which exchanges may stay open until `drain_max`. */
  readonly mayStay: Effect.Effect<(exchange: Exchange) => boolean>
  /** How long a client may read nothing of a waiting response. */
  readonly unread_max?: Duration.Duration
}

/**
 * Listens with a Node server. When the server stops, each connection ends after its current response, and connections
 * without an open response are cut. A connection is cut at any time if the client does not read.
 */
export const layerServer = (
  server: Server,
  { drain_max, mayStay, others_max, unread_max = Duration.seconds(60), ...address }: ConnectionOptions
) =>
  Layer.effect(
    HttpServer.HttpServer,
    Effect.gen(function* () {
      const sockets = trackSockets(server)
      const looking = Effect.sync(() => limitUnreadTime(sockets, unread_max))
      yield* Effect.forkScoped(Effect.repeat(looking, Schedule.spaced(betweenLooks)))
      const isReplaced = yield* IsReplaced
      const cutting = Effect.map(mayStay, (isStaying) => cut(sockets, isStaying))
      const endConnections = (grace: Effect.Effect<unknown>) =>
        Effect.sync(() => closeAfterResponse(sockets)).pipe(
          Effect.andThen(grace),
          Effect.andThen(
            Effect.repeat(cutting, {
              while: () => sockets.size > 0,
              schedule: Schedule.spaced(betweenCuts).pipe(Schedule.upTo({ duration: drain_max }))
            })
          )
        )
      const untilClosed = Effect.repeat(Effect.void, {
        while: () => sockets.size > 0,
        schedule: Schedule.spaced(betweenChecks).pipe(Schedule.upTo({ duration: others_max }))
      })
      // Closes the listener without Node's `http.Server.close`, which would cut idle connections immediately. A client may be
      // sending a call on one of them. Each connection ends with its next response instead.
      const leaving = Effect.andThen(
        Effect.sync(() => void NetServer.prototype.close.call(server)),
        endConnections(untilClosed)
      )
      const stopping = endConnections(Effect.sleep(others_max))
      const options = { ...address, gracefulShutdownTimeout: drain_max }
      const listening = yield* NodeHttpServer.make(() => server, options)
      return HttpServer.make({
        address: listening.address,
        // `stopping` runs at the same time as the listener's own finalizer, which waits for all connections to end. `leaving` runs
        // before that finalizer, which then finds a closed listener.
        serve: (app, middleware) =>
          Effect.andThen(
            middleware === undefined ? listening.serve(app) : listening.serve(app, middleware),
            Effect.addFinalizer(() => (isReplaced() ? leaving : Effect.asVoid(Effect.forkDetach(stopping))))
          )
      })
    })
  )
