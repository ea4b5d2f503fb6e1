import { createServer, type IncomingMessage, type Server, type ServerOptions, ServerResponse } from "node:http"
import { createServer as createSecureServer, Server as SecureServer } from "node:https"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/**
 * The events of a Node server that begin an exchange (a request and its response). Node emits `checkContinue` if the
 * client waits for 100 Continue.
 */
export const requestEvents = ["request", "checkContinue"] as const

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Calls the listener at the beginning of every exchange. */
export const onExchange = <S extends Server>(server: S, listener: Listener): S => {
  for (const event of requestEvents) server.on(event, listener)
  return server
}

// Closes the connection after a request that offers an upgrade. Node's parser drops data that arrives together with
// this request, perhaps a second request. On an open connection, the client could take the response to a third request
// for the response to the dropped request.
const closeAfterUpgradeOffer: Listener = ({ headers }, response) => {
  if (headers.upgrade !== undefined) response.setHeader("connection", "close")
}

/** The responses that became ready in this turn of the event loop and are not sent yet. */
let ready: Array<() => void> = []

const sendReady = (): void => {
  const sending = ready
  ready = []
  for (const send of sending) send()
}

/**
 * A response that is sent at the end of the turn of the event loop. The responses of a group of sales become ready in
 * one turn. Sent together, they wake a client once instead of once per response: 12 % of the server's time for a sale
 * of one busy company. Depends on `end` being the last call of Node and Effect on a response.
 */
class BatchedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override end(...args: ReadonlyArray<unknown>): this {
    if (ready.length === 0) setImmediate(sendReady)
    ready.push(() => this.#send(args))
    return this
  }

  // The connection may be closed by now. No caller could catch an error here, so an error closes the connection.
  #send(args: ReadonlyArray<unknown>): void {
    if (this.destroyed) return
    try {
      Reflect.apply(super.end, this, args)
    } catch {
      this.destroy()
    }
  }
}

/** Timeout of a TLS handshake. Node's default is two minutes. */
const handshake_ms_max = 10_000

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

/**
 * A Node server that treats a request to upgrade to another protocol as an ordinary request. Otherwise Effect's upgrade
 * handler would take over the connection, and a client that keeps sending data would keep it open.
 */
export const createNodeServer = (options: ServerOptions, certificate?: Certificate): Server => {
  const serverOptions = { ...options, shouldUpgradeCallback: () => false, ServerResponse: BatchedResponse }
  const server =
    certificate === undefined
      ? createServer(serverOptions)
      : createSecureServer({ ...serverOptions, ...certificate, handshakeTimeout: handshake_ms_max })
  return onExchange(server, closeAfterUpgradeOffer)
}

/**
 * Puts a listener before Node's own listener, which reads the requests of a new connection.
 *
 * @param listener calls `serve` to let Node read the requests.
 */
export const replaceConnectionListener = (
  server: Server,
  listener: (socket: Socket, serve: () => void) => void
): void => {
  const event = server instanceof SecureServer ? "secureConnection" : "connection"
  const listeners = server.listeners(event)
  server.removeAllListeners(event)
  server.on(event, (socket: Socket) =>
    listener(socket, () => {
      for (const each of listeners) each.call(server, socket)
    })
  )
}

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** For each connection, the exchanges without a complete response, in the order of their requests. */
const open = new WeakMap<Duplex, Array<Exchange>>()

export const openExchanges = (socket: Duplex): ReadonlyArray<Exchange> => open.get(socket) ?? []

/** Records which exchanges are open on each connection of a server. */
export const trackExchanges = <S extends Server>(server: S): S =>
  onExchange(server, (request, response) => {
    const exchange = { request, response }
    const exchanges = open.get(request.socket) ?? []
    exchanges.push(exchange)
    open.set(request.socket, exchanges)
    response.once("close", () => void exchanges.splice(exchanges.indexOf(exchange), 1))
  })
