import { Buffer } from "node:buffer"
import fc from "fast-check"
import { noObject } from "../../tools/api/Hostile.ts"
import { bytesOf, type HttpRequest, headerNamed, withHeader } from "../request/HttpRequest.ts"
import type { Rewrite } from "./Addresses.ts"

/** Puts a body into a request that may have had none. */
const replaced = (request: HttpRequest, body: string): HttpRequest => {
  const typed = headerNamed(request, "Content-Type") === undefined
  return { ...(typed ? withHeader(request, "Content-Type", "application/json") : request), body }
}

const asBytes = (body: string | Uint8Array): string =>
  typeof body === "string" ? bytesOf(body) : Buffer.from(body).toString("latin1")

/** Whole bodies that are no JSON object, or say something twice. */
const instead = fc.constantFrom(...noObject.map(([, body]) => body)).map(
  (body): Rewrite =>
    (request) =>
      replaced(request, asBytes(body))
)

const changed = (change: (body: string, at: number) => string): fc.Arbitrary<Rewrite> =>
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

/** The same body with a key written otherwise, which is still that key. */
const escapedKey = changed((body) =>
  body.replace(/^\{"([a-z])/, (_, letter: string) => `{"\\u00${letter.charCodeAt(0).toString(16)}`)
)

const wrapped = changed((body) => `[${body}]`)

const size_max = 64 * 1024

/** Around the size at which a body is too large, by a field that nobody knows. */
const large = fc.constantFrom(-1, 0, 1, 40_000).map(
  (more): Rewrite =>
    (request) => {
      const rest = request.body?.startsWith("{") ? request.body.slice(1) : "}"
      const separator = rest === "}" ? "" : ","
      const padding = size_max + more - rest.length - separator.length - '{"relleno":""'.length
      return replaced(request, `{"relleno":"${"x".repeat(Math.max(0, padding))}"${separator}${rest}`)
    }
)

/** What may go wrong with a body as a whole. */
export const bodyRewrite: fc.Arbitrary<Rewrite> = fc.oneof(
  { weight: 4, arbitrary: instead },
  { weight: 2, arbitrary: cut },
  { weight: 3, arbitrary: inserted },
  { weight: 3, arbitrary: flipped },
  { weight: 2, arbitrary: large },
  { weight: 1, arbitrary: fc.oneof(marked, spaced, escapedKey, wrapped) }
)
