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

const targetOf = ({ path, query }: HttpRequest): string => (query.length === 0 ? path : `${path}?${query.join("&")}`)

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

const plain = /^[\x20-\x7e]*$/

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (character: string): string =>
  escapes[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`

/** A word of bash that means exactly these bytes. */
const quoted = (bytes: string): string =>
  plain.test(bytes) && !bytes.includes("'") ? `'${bytes}'` : `$'${bytes.replace(/[^\x20-\x7e]|[\\']/g, escaped)}'`

// bash ends a word at a NUL; printf writes it.
const piped = (bytes: string): string =>
  `printf '${bytes.replace(/[^\x20-\x7e]|[\\'%]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`)}' | `

const headerWord = ([name, value]: Header): string => `-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`

/** What curl would add by itself and the request does not have. */
const unwanted = ({ body, headers }: HttpRequest): ReadonlyArray<string> =>
  body !== null && !headers.some(([name]) => name.toLowerCase() === "content-type") ? ["-H 'Content-Type:'"] : []

/** What only bytes can say: a head that no client would write. */
const isRaw = ({ headers, method, path, query }: HttpRequest): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  /[\u0000\r\n]/.test([method, path, ...query, ...headers.flat()].join(""))

// A target that is more than a path cannot be had from an address.
const curlAddress = (request: HttpRequest, port: number): ReadonlyArray<string> => {
  const base = `http://127.0.0.1:${port}`
  const target = targetOf(request)
  return target.startsWith("/") ? [quoted(base + target)] : [quoted(base), `--request-target ${quoted(target)}`]
}

/** The request as a line for a shell: curl or, where curl would not send it, the bytes themselves. */
export const curlOf = (request: HttpRequest, port: number): string => {
  if (isRaw(request)) return `${piped(onTheWire(request))}nc 127.0.0.1 ${port}`
  const { body, chunked, headers, method } = request
  const fromPipe = body?.includes("\u0000") ?? false
  const words = [
    `${fromPipe && body !== null ? piped(body) : ""}curl -si --globoff --path-as-is`,
    method === "HEAD" ? "--head" : `-X ${method}`,
    ...curlAddress(request, port),
    ...headers.map(headerWord),
    ...unwanted(request),
    ...(chunked ? ["-H 'Transfer-Encoding: chunked'"] : []),
    ...(body === null ? [] : [`--data-binary ${fromPipe ? "@-" : quoted(body)}`])
  ]
  return words.join(" \\\n  ")
}
