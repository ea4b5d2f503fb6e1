import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The events of a server that each begin an exchange; the second one when its client waits for 100 Continue. */
export const beginnings = ["request", "checkContinue"] as const

/** Hears of every exchange. */
export const onExchange = <S extends Server>(
  server: S,
  heard: (request: IncomingMessage, response: ServerResponse) => void
): S => {
  for (const beginning of beginnings) server.on(beginning, heard)
  return server
}

/**
 * What a connection has asked and not been answered yet. In a list: a set that is added to and deleted from leaves
 * tables behind that keep what was in them until all of the heap is collected.
 */
const open = new WeakMap<Duplex, Array<Exchange>>()

/** What stands open of one connection, in the order in which it asked. */
export const exchangesOf = (socket: Duplex): Array<Exchange> => {
  const known = open.get(socket)
  if (known !== undefined) return known
  const none: Array<Exchange> = []
  open.set(socket, none)
  return none
}

/** Keeps an exchange until it has been answered, or cannot be any more. */
export const remember = (request: IncomingMessage, response: ServerResponse): void => {
  const exchanges = exchangesOf(request.socket)
  const exchange = { request, response }
  exchanges.push(exchange)
  response.once("close", () => void exchanges.splice(exchanges.indexOf(exchange), 1))
}
