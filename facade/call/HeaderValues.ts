import type { IncomingMessage } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http"

/**
 * The values of a header, one for each time that it was sent. Node would keep the first, or join them into one that
 * nobody sent.
 *
 * @param name in small letters.
 */
export const headerValues = (request: HttpServerRequest.HttpServerRequest, name: string): ReadonlyArray<string> => {
  const { rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
  const values: Array<string> = []
  for (let place = 0; place + 1 < rawHeaders.length; place += 2) {
    const sent = rawHeaders[place] ?? ""
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(rawHeaders[place + 1] ?? "")
  }
  return values
}

/** The headers that are looked up so. */
type PlainHeader =
  | "content-encoding"
  | "content-length"
  | "expect"
  | "if-none-match"
  | "transfer-encoding"
  | "x-forwarded-for"
  | "x-api-key"
  | "x-api-secret"

/** The value of a header of which it does not matter how often it was sent. */
export const headerIn = ({ headers }: Pick<IncomingMessage, "headers">, name: PlainHeader): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value.join(", ") : value
}

/**
 * The same of a request. Its own headers would say the same, except for a host that its target names, but are made anew
 * for each request, all of them.
 */
export const headerOf = (request: HttpServerRequest.HttpServerRequest, name: PlainHeader): string | undefined =>
  headerIn(NodeHttpServerRequest.toIncomingMessage(request), name)
