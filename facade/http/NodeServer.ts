import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
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

/** A certificate and its key, in PEM. */
interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

/**
 * A Node server that treats a request to upgrade to another protocol as an ordinary request. Otherwise Effect's upgrade
 * handler would take over the connection, and a client that keeps sending data would keep it open.
 */
export const createNodeServer = (options: ServerOptions, certificate?: Certificate): Server => {
  const withoutUpgrades = { ...options, shouldUpgradeCallback: () => false }
  const server =
    certificate === undefined
      ? createServer(withoutUpgrades)
      : createSecureServer({ ...withoutUpgrades, ...certificate })
  return onExchange(server, closeAfterUpgradeOffer)
}

interface Exchange {
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
