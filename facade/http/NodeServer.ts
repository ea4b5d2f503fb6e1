import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { Duplex } from "node:stream"

/** The events of a Node server that begin an exchange: `checkContinue` when the client waits for 100 Continue. */
export const requestEvents = ["request", "checkContinue"] as const

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Calls the listener at the beginning of every exchange. */
export const onExchange = <S extends Server>(server: S, listener: Listener): S => {
  for (const event of requestEvents) server.on(event, listener)
  return server
}

// Node's parser drops what arrives together with such a request. On an open connection, the client would take the
// response to a later request for the response to the dropped one.
const closeAfterUpgradeOffer: Listener = ({ headers }, response) => {
  if (headers.upgrade !== undefined) response.setHeader("connection", "close")
}

/** A certificate and its key, in PEM. */
interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

/**
 * A Node server that answers a request to upgrade to another protocol as a plain request. Otherwise Effect's upgrade
 * handler would take over the connection, and a client that keeps sending would keep it open.
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

/** The exchanges of each connection that have no complete response yet, in the order of their requests. */
const open = new WeakMap<Duplex, Array<Exchange>>()

export const openExchanges = (socket: Duplex): ReadonlyArray<Exchange> => open.get(socket) ?? []

/** Keeps the open exchanges of a server's connections up to date. */
export const trackExchanges = <S extends Server>(server: S): S =>
  onExchange(server, (request, response) => {
    const exchange = { request, response }
    const exchanges = open.get(request.socket) ?? []
    exchanges.push(exchange)
    open.set(request.socket, exchanges)
    response.once("close", () => void exchanges.splice(exchanges.indexOf(exchange), 1))
  })
