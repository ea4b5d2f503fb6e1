import { Buffer } from "node:buffer"

export type Header = readonly [name: string, value: string]

/** A request as it is sent. Each character of its strings is one byte, so a request can contain any bytes. */
export interface HttpRequest {
  readonly method: string
  readonly path: string
  /** Parts of the query, each `name=value`. */
  readonly query: ReadonlyArray<string>
  readonly headers: ReadonlyArray<Header>
  /** Null if the request has no body. */
  readonly body: string | null
  /** Whether the body is sent with chunked encoding instead of a length. */
  readonly chunked: boolean
}

/** The UTF-8 bytes of a text, as a string with one character for each byte. */
export const bytesOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

const targetOf = ({ path, query }: HttpRequest): string => (query.length === 0 ? path : `${path}?${query.join("&")}`)

export const headerNamed = ({ headers }: HttpRequest, name: string): string | undefined =>
  headers.find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1]

export const withoutHeader = (request: HttpRequest, name: string): HttpRequest => ({
  ...request,
  headers: request.headers.filter(([known]) => known.toLowerCase() !== name.toLowerCase())
})

/** Replaces every header of this name. */
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

/** All bytes of the request, for a connection that carries only this request. */
export const onTheWire = (request: HttpRequest): string => {
  const { body, chunked, headers, method } = request
  const lines = [...headers, ...framing(request), ["Connection", "close"] as const]
  const head = [`${method} ${targetOf(request)} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)]
  return `${head.join("\r\n")}\r\n\r\n${body === null ? "" : chunked ? chunks(body) : body}`
}

/** An anonymous GET request from an IP address. */
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

/** A bash word that stands for exactly these bytes. */
const quoted = (bytes: string): string =>
  plain.test(bytes) && !bytes.includes("'") ? `'${bytes}'` : `$'${bytes.replace(/[^\x20-\x7e]|[\\']/g, escaped)}'`

// A bash word cannot contain a NUL byte, but printf can write it.
const piped = (bytes: string): string =>
  `printf -- '${bytes.replace(/[^\x20-\x7e]|[\\'%]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`)}' | `

const headerWord = ([name, value]: Header): string => `-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`

/** curl options that remove the headers which curl would add although the request does not have them. */
const unwanted = ({ body, headers }: HttpRequest): ReadonlyArray<string> =>
  body !== null && !headers.some(([name]) => name.toLowerCase() === "content-type") ? ["-H 'Content-Type:'"] : []

/** Whether curl cannot send the request, because its head is malformed. */
const isRaw = ({ headers, method, path, query }: HttpRequest): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  /[\u0000\r\n]/.test([method, path, ...query, ...headers.flat()].join(""))

// curl needs an option for a request target that is not a plain path.
const curlAddress = (request: HttpRequest, port: number): ReadonlyArray<string> => {
  const base = `http://127.0.0.1:${port}`
  const target = targetOf(request)
  return target.startsWith("/") ? [quoted(base + target)] : [quoted(base), `--request-target ${quoted(target)}`]
}

/** The request as a shell command. Uses curl, or nc with the raw bytes if curl cannot send the request. */
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
