import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as CallCounterMemory from "../../../adapters/CallCounterMemory.ts"
import { makeServer } from "../../../facade/http/ClientErrors.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock, ServiceAddress } from "../../support/InProcessService.ts"
import { answerIn, rawClient } from "../../support/service/RawClient.ts"

/** The Node HTTP server under test. */
class Served extends Context.Service<Served, Server>()("test/Served") {
  static readonly layer = Layer.effect(
    Served,
    Effect.map(makeServer, (make) => make({ connections_max: 100 }))
  )
}

/** Returns the request body in angle brackets. At /slow, waits one minute first. */
const echo = Effect.gen(function* () {
  const { text, url } = yield* HttpServerRequest.HttpServerRequest
  if (url === "/slow") yield* Effect.sleep("1 minute")
  return HttpServerResponse.text(`<${yield* text}>`)
})

const service = Layer.merge(ServiceAddress.layer, HttpServer.serve(echo)).pipe(
  Layer.provide(
    Layer.unwrap(Served.useSync((server) => NodeHttpServer.layerServer(() => server, { port: 0, host: "127.0.0.1" })))
  ),
  Layer.provideMerge(Served.layer),
  Layer.provide([CallCounterMemory.layer, NodeCrypto.layerSecureRandom]),
  Layer.provideMerge(ManualClock.layer)
)

const connections = Served.use((server) =>
  Effect.callback<number, Error>((resume) => {
    server.getConnections((error, count) => resume(error === null ? Effect.succeed(count) : Effect.fail(error)))
  })
)

const allConnectionsClosed = eventually(connections, (count) => count === 0)

/** Waits for the next request and returns Node's object for its response. */
const nextResponse = Served.use((server) =>
  Effect.callback<ServerResponse>((resume) => {
    server.once("request", (_request, response) => void resume(Effect.succeed(response)))
  })
)

const nextTunnel = Served.use((server) =>
  Effect.callback<void>((resume) => {
    server.once("connect", () => void resume(Effect.void))
  })
)

/** Sends data repeatedly until the server has closed the connection. */
const sendUntilClosed = (socket: Socket) =>
  eventually(
    Effect.andThen(
      Effect.sync(() => socket.write("more")),
      connections
    ),
    (count) => count === 0
  )

const tunnel = "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"
const offer = "Host: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"

layer(service, { excludeTestServices: true })("a connection", (it) => {
  describe("after a CONNECT request", () => {
    it.effect("can be reset by the client, before or after the client reads the response", () =>
      Effect.gen(function* () {
        const hasty = yield* rawClient(tunnel)
        yield* nextTunnel
        hasty.socket.resetAndDestroy()
        yield* allConnectionsClosed
        const patient = yield* rawClient(tunnel)
        yield* answerIn(patient)
        patient.socket.resetAndDestroy()
        yield* allConnectionsClosed
      })
    )

    it.effect("is closed even when the client keeps sending", () =>
      Effect.gen(function* () {
        const client = yield* rawClient(`${tunnel}more`)
        assert.match(yield* answerIn(client), /^HTTP\/1\.1 404 /)
        yield* sendUntilClosed(client.socket)
      })
    )
  })

  it.effect.each([
    ["a CONNECT request", tunnel],
    ["a CONNECT request after a call", `GET /slow HTTP/1.1\r\nHost: a\r\n\r\n${tunnel}`],
    ["unparsable bytes", "\u0000\r\n\r\n"]
  ] as const)("is closed two seconds after the response when the client sends nothing after %s", ([, bytes]) =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { said } = yield* rawClient(bytes)
      const isAnswered = Effect.map(said, (text) => text.includes("\r\n\r\n"))
      yield* eventually(Effect.andThen(pass("1 minute"), isAnswered), Boolean)
      yield* eventually(Effect.andThen(pass("2 seconds"), connections), (count) => count === 0)
    })
  )

  it.effect.each([
    ["no body", `GET / HTTP/1.1\r\n${offer}\r\n`, "<>"],
    ["a body", `POST / HTTP/1.1\r\n${offer}Content-Length: 2\r\n\r\nab`, "<ab>"],
    ["chunks", `POST / HTTP/1.1\r\n${offer}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`, "<ab>"],
    ["an expectation", `POST / HTTP/1.1\r\n${offer}Expect: 100-continue\r\nContent-Length: 2\r\n\r\nab`, "<ab>"]
  ] as const)(
    "is closed after a response over HTTP/1.1 when the client offers an upgrade in a request with %s",
    ([, bytes, body]) =>
      Effect.gen(function* () {
        const { said, socket } = yield* rawClient(bytes)
        const answer = yield* eventually(said, (text) => text.endsWith(">"))
        assert.match(answer, /HTTP\/1\.1 200 .*connection: close/is)
        assert.isTrue(answer.endsWith(body), answer)
        yield* sendUntilClosed(socket)
      })
  )

  it.effect("delivers the pending response, even after 100 Continue, when unparsable bytes follow the request", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { said, socket } = yield* rawClient(
        "POST /slow HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab\u0000\r\n\r\n"
      )
      const answer = yield* eventually(Effect.andThen(pass("1 minute"), said), (text) => /\r\n\r\n[<{]/.test(text))
      assert.deepStrictEqual(answer.match(/^HTTP\/1\.1 \d+/gm), ["HTTP/1.1 100", "HTTP/1.1 200"])
      socket.end()
      yield* allConnectionsClosed
    })
  )

  it.effect("adds only one close listener, however many unparsable bytes it receives", () =>
    Effect.gen(function* () {
      const server = yield* Served
      let unread = 0
      server.on("clientError", () => {
        unread += 1
      })
      const { socket } = yield* rawClient("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      const response = yield* nextResponse
      const before = response.listenerCount("close")
      yield* eventually(
        Effect.sync(() => {
          socket.write("\u0000")
          return unread
        }),
        (count) => count > 20
      )
      assert.strictEqual(response.listenerCount("close"), before + 1)
      socket.destroy()
      yield* allConnectionsClosed
    })
  )

  it.effect.each([tunnel, "\u0000\r\n\r\n"])("has the current date in its error response (%#)", (bytes) =>
    Effect.gen(function* () {
      const { until } = yield* ManualClock
      yield* until("2027-01-02T03:04:05Z")
      const client = yield* rawClient(bytes)
      assert.match(yield* answerIn(client), /^date: Sat, 02 Jan 2027 03:04:05 GMT\r$/im)
      client.socket.end()
      yield* allConnectionsClosed
    })
  )
})
