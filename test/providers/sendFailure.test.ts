import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { isProvablyUnsent } from "../../adapters/http/SendFailure.ts"
import { fakeServer, type Misbehaviour } from "../fakes/FakeServer.ts"

const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/ventas"), { monto: 1 })

const failed = (cause: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

const withCode = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall })

/** The failure of a request to an address. */
const failureAt = (url: string) =>
  HttpClient.execute(HttpClientRequest.prependUrl(request, url)).pipe(
    Effect.flip,
    Effect.provide(NodeHttpClient.layerUndici)
  )

describe("a request that failed", () => {
  it.effect.each([
    ["no address has its name", "http://saldo.invalid"],
    ["nobody listens there", "http://127.0.0.1:1"],
    ["nobody listens at any of its addresses", "http://localhost:1"],
    ["the address is none", "http://[::zz]"]
  ] as const)("was provably not sent when %s", ([, url]) =>
    Effect.gen(function* () {
      assert.isTrue(isProvablyUnsent(yield* failureAt(url)))
    })
  )

  it.effect.each(["cut before", "cut after"] satisfies ReadonlyArray<Misbehaviour>)(
    "may have been received when the connection was %s the server acted",
    (misbehaviour) =>
      Effect.gen(function* () {
        const url = yield* fakeServer(() => ({ misbehaviour, reply: () => ({ status: 200, body: {} }) }))
        assert.isFalse(isProvablyUnsent(yield* failureAt(url)))
      }).pipe(Effect.scoped)
  )

  // what undici and Node say -> whether nothing was sent
  it.each([
    ["a certificate of nobody", withCode("DEPTH_ZERO_SELF_SIGNED_CERT"), true],
    ["a certificate of another name", withCode("ERR_TLS_CERT_ALTNAME_INVALID"), true],
    ["a certificate that is too old", withCode("CERT_HAS_EXPIRED"), true],
    ["no connection in time", withCode("UND_ERR_CONNECT_TIMEOUT"), true],
    ["no way to the host", withCode("EHOSTUNREACH", "connect"), true],
    ["no answer of the name server", withCode("EAI_AGAIN", "getaddrinfo"), true],
    ["a failure inside another", new TypeError("fetch failed", { cause: withCode("ECONNREFUSED", "connect") }), true],
    ["a host that went away", withCode("EHOSTUNREACH", "read"), false],
    ["a broken pipe", withCode("EPIPE", "write"), false],
    ["a reset", withCode("ECONNRESET", "read"), false],
    ["a reset of unknown time", withCode("ECONNRESET"), false],
    ["a closed connection", withCode("UND_ERR_SOCKET"), false],
    ["a refusal without a call", withCode("ECONNREFUSED"), false],
    ["no headers in time", withCode("UND_ERR_HEADERS_TIMEOUT"), false],
    [
      "several addresses, and one that was reached",
      new AggregateError([withCode("ECONNREFUSED", "connect"), withCode("ECONNRESET", "read")]),
      false
    ],
    ["several addresses, and no errors", new AggregateError([]), false],
    ["text", "ECONNREFUSED", false],
    ["nothing", undefined, false]
  ])("by %s", (_, cause, unsent) => {
    assert.strictEqual(isProvablyUnsent(failed(cause)), unsent)
  })
})
