import { Buffer } from "node:buffer"
import fc from "fast-check"
import { keyHeader } from "../../../facade/api/Input.ts"
import {
  invalidBodies,
  invalidIds,
  invalidQueryValuesFor,
  strangeQueries,
  unprintableInQuery
} from "../../support/HostileInput.ts"
import { bytesOf, type HttpRequest, headerNamed, withHeader, withoutHeader } from "../request/HttpRequest.ts"
import { takesKey } from "../request/OperationCall.ts"
import type { Operation, OperationInput } from "../request/Operations.ts"

export type RequestRewrite = (request: HttpRequest) => HttpRequest

const withQueryPart =
  (part: string): RequestRewrite =>
  (request) => ({ ...request, query: [...request.query, part] })

const method = fc
  .constantFrom("HEAD", "HEAD", "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "QUERY", "get", "VENDE")
  .map(
    (other): RequestRewrite =>
      (request) => ({ ...request, method: other })
  )

const spellings: ReadonlyArray<(path: string) => string> = [
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `/${path}`,
  (path) => `${path}.json`,
  (path) => `${path};x=1`,
  (path) => `${path}%00`,
  (path) => `${path}%ff`,
  (path) => `${path}%`,
  (path) => path.toUpperCase(),
  (path) => path.replace("/v1/", "/v1//"),
  (path) => path.replace("/v1/", "/v2/"),
  (path) => path.replace("/v1/", "/v1/../v1/"),
  (path) => path.replace("/v1/", "/v1%2f"),
  (path) => `${path}/${"x".repeat(3_000)}`,
  (path) => `${path}/${"x/".repeat(500)}`,
  (path) => `http://otro.example${path}`
]

const spelling = fc.constantFrom(...spellings).map(
  (spell): RequestRewrite =>
    (request) => ({ ...request, path: spell(request.path) })
)

/** Replaces the id in the path by a text that is not a valid id. */
const idRewrite = ({ path }: Operation): fc.Arbitrary<RequestRewrite> =>
  fc.constantFrom(...invalidIds).map((id) => (request) => ({ ...request, path: path.replace(/\{\w+\}/, () => id) }))

const unknownQueryPart = fc
  .constantFrom(...strangeQueries, ...unprintableInQuery.map((value) => `nada=${value}`))
  .map(withQueryPart)

const refusedQueryValue = ({ name, schema }: OperationInput): fc.Arbitrary<RequestRewrite> =>
  fc.constantFrom(...invalidQueryValuesFor(schema), ...unprintableInQuery).map((value) => (request) => ({
    ...request,
    query: [...request.query.filter((part) => !part.startsWith(`${name}=`)), `${name}=${value}`]
  }))

/** Mutations of the method, the path or the query. */
export const addressRewriteOf = (operation: Operation): fc.Arbitrary<RequestRewrite> => {
  const queried = operation.inputs.filter((input) => input.place === "query")
  return fc.oneof(
    { weight: 3, arbitrary: method },
    { weight: 3, arbitrary: spelling },
    { weight: 2, arbitrary: unknownQueryPart },
    ...(operation.path.includes("{") ? [{ weight: 5, arbitrary: idRewrite(operation) }] : []),
    ...(queried.length > 0 ? [{ weight: 5, arbitrary: fc.constantFrom(...queried).chain(refusedQueryValue) }] : [])
  )
}

/** Sets the body of a request, even if the request had no body. */
const replaced = (request: HttpRequest, body: string): HttpRequest => {
  const typed = headerNamed(request, "Content-Type") === undefined
  return { ...(typed ? withHeader(request, "Content-Type", "application/json") : request), body }
}

const asBytes = (body: string | Uint8Array): string =>
  typeof body === "string" ? bytesOf(body) : Buffer.from(body).toString("latin1")

/** Replaces the body by a text that is not a JSON object, or that repeats a key. */
const instead = fc.constantFrom(...invalidBodies.map(([, body]) => body)).map(
  (body): RequestRewrite =>
    (request) =>
      replaced(request, asBytes(body))
)

const changed = (change: (body: string, at: number) => string): fc.Arbitrary<RequestRewrite> =>
  fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map((share) => (request) => {
    const { body } = request
    return body === null ? request : { ...request, body: change(body, Math.floor(share * body.length)) }
  })

const cut = changed((body, at) => body.slice(0, at))

const inserted = fc
  .constantFrom(
    "\u0000",
    "\u00ff",
    "\u00c0\u0080",
    "\u00ed\u00a0\u0080",
    "\u00ef\u00bb\u00bf",
    " ",
    "\n",
    ",",
    "}",
    '"',
    "\\"
  )
  .chain((bytes) => changed((body, at) => body.slice(0, at) + bytes + body.slice(at)))

const flipped = fc
  .integer({ min: 0, max: 255 })
  .chain((code) => changed((body, at) => body.slice(0, at) + String.fromCharCode(code) + body.slice(at + 1)))

const marked = changed((body) => `\u00ef\u00bb\u00bf${body}`)

const spaced = changed((body) => ` \n\t${body}\r\n `)

/** Escapes a character of a key. The parsed key stays the same. */
const escapedKey = changed((body) =>
  body.replace(/^\{"([a-z])/, (_, letter: string) => `{"\\u00${letter.charCodeAt(0).toString(16)}`)
)

const wrapped = changed((body) => `[${body}]`)

const size_max = 64 * 1024

/** Bodies whose size is close to the limit or far above it. An unknown field fills them up. */
const large = fc.constantFrom(-1, 0, 1, 40_000).map(
  (more): RequestRewrite =>
    (request) => {
      const rest = request.body?.startsWith("{") ? request.body.slice(1) : "}"
      const separator = rest === "}" ? "" : ","
      const padding = size_max + more - rest.length - separator.length - '{"relleno":""'.length
      return replaced(request, `{"relleno":"${"x".repeat(Math.max(0, padding))}"${separator}${rest}`)
    }
)

/** Mutations that replace or change the body as a whole. */
export const bodyRewrite: fc.Arbitrary<RequestRewrite> = fc.oneof(
  { weight: 4, arbitrary: instead },
  { weight: 2, arbitrary: cut },
  { weight: 3, arbitrary: inserted },
  { weight: 3, arbitrary: flipped },
  { weight: 2, arbitrary: large },
  { weight: 1, arbitrary: fc.oneof(marked, spaced, escapedKey, wrapped) }
)

const set =
  (name: string, value: string): RequestRewrite =>
  (request) =>
    withHeader(request, name, value)

const added =
  (name: string, value: string): RequestRewrite =>
  (request) => ({
    ...request,
    headers: [...request.headers, [name, value]]
  })

const keys = fc
  .oneof(
    fc.constantFrom("", " ", "a\tb", "a\u0001b", "a\u0000b", "a\u007fb", bytesOf("clave-ñ-😀"), "\u00f1", "\u0085"),
    fc.constantFrom(127, 128, 129, 4_000).map((length) => "k".repeat(length)),
    fc.constantFrom(64, 128, 129).map((length) => bytesOf("ñ".repeat(length))),
    fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
  )
  .map((key) => set(keyHeader, key))

const keyTwice = fc.boolean().map(
  (alike): RequestRewrite =>
    (request) =>
      added(keyHeader, alike ? (headerNamed(request, keyHeader) ?? "k") : "otra")(request)
)

const keyless = fc.constant<RequestRewrite>((request) => withoutHeader(request, keyHeader))

const types = fc
  .constantFrom(
    "text/plain",
    "application/json5",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=latin1",
    'application/json; charset="utf-16"',
    "application/json; charset=UTF-8",
    "APPLICATION/JSON",
    "application/json ; x=1",
    "application/vnd.api+json",
    ""
  )
  .map((type) => set("Content-Type", type))

const aboutBody = fc.oneof(
  { weight: 5, arbitrary: types },
  fc.constant<RequestRewrite>((request) => withoutHeader(request, "Content-Type")),
  fc.constant(added("Content-Type", "application/json")),
  fc.constantFrom("gzip", "identity", "br", "x").map((coding) => set("Content-Encoding", coding)),
  fc.constant<RequestRewrite>((request) => ({ ...request, chunked: true }))
)

/** Header lines that Node's parser rejects, and unusual header lines that it accepts. */
const lines = fc
  .tuple(
    fc.constantFrom("X-A", "X-Request-Id", "Cookie", "Accept", "Accept-Encoding", "User-Agent", "Range", "Origin"),
    fc.constantFrom("", "a\u0000b", "a\u0001b", "a\u007fb", "a\nb", "\u00ff\u0085", bytesOf("😀"), "x".repeat(9_000))
  )
  .map(([name, value]) => added(name, value))

const known = fc
  .tuple(
    fc.constantFrom(
      "Accept",
      "Accept-Encoding",
      "Range",
      "X-HTTP-Method-Override",
      "Expect",
      "Upgrade",
      "If-None-Match"
    ),
    fc.constantFrom("*/*", "application/xml", "gzip, br", "bytes=0-1", "DELETE", "100-continue", "websocket", "*", '""')
  )
  .map(([name, value]) => set(name, value))

const host = fc.constantFrom("", "a b", "<script>", "[::1]:80", "otro.example:99999").map((value) => set("Host", value))
const hostless = fc.constant<RequestRewrite>((request) => withoutHeader(request, "Host"))
/** Adds more header lines than any client sends. */
const crowd = fc.constant<RequestRewrite>((request) => ({
  ...request,
  headers: [...request.headers, ...Array.from({ length: 150 }, (_, index) => [`X-${index}`, "1"] as const)]
}))

/** Mutations of the headers. */
export const headRewriteOf = (operation: Operation): fc.Arbitrary<RequestRewrite> =>
  fc.oneof(
    { weight: 2, arbitrary: lines },
    { weight: 2, arbitrary: known },
    { weight: 1, arbitrary: fc.oneof(host, hostless, crowd) },
    ...(operation.method !== "GET" ? [{ weight: 6, arbitrary: aboutBody }] : []),
    ...(takesKey(operation)
      ? [
          { weight: 6, arbitrary: keys },
          { weight: 1, arbitrary: keyTwice },
          { weight: 2, arbitrary: keyless }
        ]
      : [])
  )
