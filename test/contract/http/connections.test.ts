import type { Server } from "node:http"
import { connect, type Socket } from "node:net"
import { connect as connectSecurely } from "node:tls"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as CallCounterMemory from "../../../adapters/CallCounterMemory.ts"
import { makeServer } from "../../../facade/http/ClientErrors.ts"
import { layerServer } from "../../../facade/http/Connections.ts"
import { connectionsWithin } from "../../../facade/http/Listener.ts"
import { certificateOfLocalhost as certificate } from "../../support/Certificates.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock, ServiceAddress } from "../../support/InProcessService.ts"
import { answerIn, endOf, rawClient } from "../../support/service/RawClient.ts"

/** A body larger than the buffers of a connection. The response cannot end while the client does not read. */
const large = "x".repeat(24 * 1024 * 1024)

/** Returns `large` at /large and `<ok>` at every other path. */
const app = Effect.gen(function* () {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  return HttpServerResponse.text(url === "/large" ? large : "<ok>")
})

const served = (server: Server, unread_max: Duration.Duration) =>
  Layer.merge(ServiceAddress.layer, HttpServer.serve(app)).pipe(
    Layer.provide(
      layerServer(server, {
        host: "127.0.0.1",
        port: 0,
        drain_max: Duration.zero,
        others_max: Duration.zero,
        mayStay: Effect.succeed(() => false),
        unread_max
      })
    )
  )

/** Starts a server. `at` makes an effect connect to this server; `open` counts the server's open connections. */
const startServer = Effect.fnUntraced(function* (
  options: Parameters<Effect.Success<typeof makeServer>>[0],
  unread_max = Duration.seconds(60)
) {
  const server = (yield* makeServer)(options)
  const address = Context.get(yield* Layer.build(served(server, unread_max)), ServiceAddress)
  const open = Effect.callback<number>((resume) => {
    server.getConnections((_, count) => resume(Effect.succeed(count)))
  })
  return { at: Effect.provideService(ServiceAddress, address), open, port: address.port }
})

const services = Layer.provideMerge(
  Layer.mergeAll(CallCounterMemory.layer, NodeCrypto.layerSecureRandom),
  ManualClock.layer
)

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

const host = "127.0.0.1"

/** The ways to connect: in plain text and over TLS. */
const ways = [
  ["over HTTP", undefined, (port: number) => connect({ port, host })],
  ["over TLS", certificate, (port: number) => connectSecurely({ port, host, rejectUnauthorized: false })]
] as const

/** Sends a request on a new connection that stays open until the scope closes. */
const send = (path: string, connectTo: (port: number) => Socket, port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connectTo(port).on("error", () => {})
      socket.write(request(path))
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const statusOn = (socket: Socket) =>
  Effect.callback<string>((resume) => {
    socket.setEncoding("latin1").once("data", (text) => resume(Effect.succeed(String(text).slice(9, 12))))
  })

describe("the number of connections that a process accepts", () => {
  it.each([
    [10_000, "unlimited", 10_000],
    [10_000, 65_536, 10_000],
    [10_000, 10_500, 10_000],
    [10_000, 4096, 3596],
    [10_000, 256, 10]
  ] as const)("with MAX_CONNECTIONS=%s and at most %s open files is %i", (wanted, files, connections) => {
    assert.strictEqual(connectionsWithin(wanted, files), connections)
  })
})

layer(services, { excludeTestServices: true })("a server at its connection limit", (it) => {
  it.effect("rejects a new connection with 503 in the envelope, until another connection is closed", () =>
    Effect.gen(function* () {
      const { at } = yield* startServer({ connections_max: 2 })
      const first = yield* at(rawClient(request("/")))
      const second = yield* at(rawClient(request("/")))
      for (const client of [first, second]) assert.match(yield* answerIn(client), /^HTTP\/1\.1 200 /)
      const refused = yield* at(rawClient("POST /v1/recargas HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"))
      const [head = "", body = ""] = (yield* answerIn(refused)).split("\r\n\r\n")
      assert.match(head, /^HTTP\/1\.1 503 Service Unavailable\r\n/)
      const { error, request_id, success } = JSON.parse(body)
      assert.deepStrictEqual([success, error.code], [false, "SERVICE_UNAVAILABLE"])
      for (const line of ["connection: close", "retry-after: 30", `x-request-id: ${request_id}`])
        assert.include(head, `\r\n${line}`)
      yield* endOf(refused)
      first.socket.end()
      yield* endOf(first)
      assert.match(yield* answerIn(yield* at(rawClient(request("/")))), /^HTTP\/1\.1 200 /)
      second.socket.write(request("/"))
      yield* eventually(second.said, (text) => text.match(/200 OK/g)?.length === 2)
    })
  )

  it.effect.each(ways)("rejects a new connection %s", ([, certificate, connectTo]) =>
    Effect.gen(function* () {
      const { port } = yield* startServer({ connections_max: 1, certificate })
      for (const status of ["200", "503"])
        assert.strictEqual(yield* statusOn(yield* send("/", connectTo, port)), status)
    })
  )

  it.effect("closes a new connection on which the client sends nothing", () =>
    Effect.gen(function* () {
      const { at } = yield* startServer({ connections_max: 1 })
      yield* answerIn(yield* at(rawClient(request("/"))))
      const silent = yield* at(rawClient(""))
      yield* endOf(silent)
      assert.strictEqual(yield* silent.said, "")
    })
  )
})

layer(services, { excludeTestServices: true })("a connection with an unread response", (it) => {
  it.effect.each(ways)("is closed when the client does not read before the timeout, %s", ([, certificate, connectTo]) =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { open, port } = yield* startServer({ connections_max: 10, certificate }, Duration.millis(100))
      yield* send("/large", connectTo, port)
      yield* eventually(open, (count) => count === 1)
      yield* eventually(Effect.andThen(pass("15 seconds"), open), (count) => count === 0)
    })
  )

  it.effect.each(ways)("stays open when the client reads before the timeout, %s", ([, certificate, connectTo]) =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { open, port } = yield* startServer({ connections_max: 10, certificate })
      const socket = yield* send("/large", connectTo, port)
      yield* eventually(open, (count) => count === 1)
      yield* pass("15 seconds")
      let read = 0
      socket.on("data", ({ length }: Buffer) => {
        read += length
      })
      yield* eventually(
        Effect.sync(() => read),
        (read) => read > large.length
      )
      assert.strictEqual(yield* open, 1)
    })
  )
})
