import { type Header, type HttpRequest, onTheWire, targetOf } from "./HttpRequest.ts"

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
const place = (request: HttpRequest, port: number): ReadonlyArray<string> => {
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
    ...place(request, port),
    ...headers.map(headerWord),
    ...unwanted(request),
    ...(chunked ? ["-H 'Transfer-Encoding: chunked'"] : []),
    ...(body === null ? [] : [`--data-binary ${fromPipe ? "@-" : quoted(body)}`])
  ]
  return words.join(" \\\n  ")
}
