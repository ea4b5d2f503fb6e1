import fc from "fast-check"
import { keyHeader } from "../../facade/rest/KeyHeader.ts"
import type { Operation } from "../document/Operations.ts"
import { bytesOf, headerNamed, withHeader, withoutHeader } from "../request/HttpRequest.ts"
import { takesKey } from "../request/Rest.ts"
import type { Rewrite } from "./Addresses.ts"

const set =
  (name: string, value: string): Rewrite =>
  (request) =>
    withHeader(request, name, value)

const added =
  (name: string, value: string): Rewrite =>
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
  (alike): Rewrite =>
    (request) =>
      added(keyHeader, alike ? (headerNamed(request, keyHeader) ?? "k") : "otra")(request)
)

const keyless = fc.constant<Rewrite>((request) => withoutHeader(request, keyHeader))

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
  fc.constant<Rewrite>((request) => withoutHeader(request, "Content-Type")),
  fc.constant(added("Content-Type", "application/json")),
  fc.constantFrom("gzip", "identity", "br", "x").map((coding) => set("Content-Encoding", coding)),
  fc.constant<Rewrite>((request) => ({ ...request, chunked: true }))
)

/** What Node's parser refuses, and what it lets through. */
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
const hostless = fc.constant<Rewrite>((request) => withoutHeader(request, "Host"))
const crowd = fc.constant<Rewrite>((request) => ({
  ...request,
  headers: [...request.headers, ...Array.from({ length: 150 }, (_, index) => [`X-${index}`, "1"] as const)]
}))

/** What may go wrong with the head of a request, beside its first line. */
export const headRewriteOf = (operation: Operation): fc.Arbitrary<Rewrite> =>
  fc.oneof(
    { weight: 2, arbitrary: lines },
    { weight: 2, arbitrary: known },
    { weight: 1, arbitrary: fc.oneof(host, hostless, crowd) },
    ...(operation.method === "POST" ? [{ weight: 6, arbitrary: aboutBody }] : []),
    ...(takesKey(operation)
      ? [
          { weight: 6, arbitrary: keys },
          { weight: 1, arbitrary: keyTwice },
          { weight: 2, arbitrary: keyless }
        ]
      : [])
  )
