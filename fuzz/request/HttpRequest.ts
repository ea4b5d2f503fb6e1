import { Buffer } from "node:buffer"

export type Header = readonly [name: string, value: string]

/** A request as it goes out. Texts hold a byte a character, so that there is nothing which they cannot say. */
export interface HttpRequest {
  readonly method: string
  readonly path: string
  /** The parts of the query as they stand in it, `name=value`. */
  readonly query: ReadonlyArray<string>
  readonly headers: ReadonlyArray<Header>
  /** Null for none. */
  readonly body: string | null
  /** Whether the body goes in chunks instead of saying how long it is. */
  readonly chunked: boolean
}

/** A text as the bytes of its UTF-8, one a character. */
export const bytesOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

export const targetOf = ({ path, query }: HttpRequest): string =>
  query.length === 0 ? path : `${path}?${query.join("&")}`

export const headerNamed = ({ headers }: HttpRequest, name: string): string | undefined =>
  headers.find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1]

export const withoutHeader = (request: HttpRequest, name: string): HttpRequest => ({
  ...request,
  headers: request.headers.filter(([known]) => known.toLowerCase() !== name.toLowerCase())
})

/** With this header in the place of any other of that name. */
export const withHeader = (request: HttpRequest, name: string, value: string): HttpRequest => ({
  ...request,
  headers: [...withoutHeader(request, name).headers, [name, value]]
})

const chunks = (body: string): string => {
  const parts = body.match(/.{1,4096}/gs) ?? []
  return `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`
}

const framing = ({ body, chunked }: HttpRequest): ReadonlyArray<Header> => {
  if (body === null) return []
  return [chunked ? ["Transfer-Encoding", "chunked"] : ["Content-Length", String(body.length)]]
}

/** All of it, for a connection that carries nothing else. */
export const onTheWire = (request: HttpRequest): string => {
  const { body, chunked, headers, method } = request
  const lines = [...headers, ...framing(request), ["Connection", "close"] as const]
  const head = [`${method} ${targetOf(request)} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)]
  return `${head.join("\r\n")}\r\n\r\n${body === null ? "" : chunked ? chunks(body) : body}`
}

/** A question of nobody in particular, from an address. */
export const getFrom = (address: string, path: string): HttpRequest => ({
  method: "GET",
  path,
  query: [],
  headers: [
    ["Host", "saldo.test"],
    ["X-Forwarded-For", address]
  ],
  body: null,
  chunked: false
})
