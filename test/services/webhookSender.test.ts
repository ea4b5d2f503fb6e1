import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it, vi } from "@effect/vitest"
import { Clock, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import type { Respond } from "../fakes/Receiver.ts"
import { delivery, makeSender, secretOf, startReceiver } from "./support/Webhooks.ts"

const ok: Respond = (response) => response.end()

/** A receiver on this machine, and a sender that may reach it. */
const start = Effect.fnUntraced(function* (respond: Respond) {
  const receiver = yield* startReceiver(respond)
  const sender = yield* makeSender({ local: true })
  const request = delivery(`http://127.0.0.1:${receiver.port}/saldo?origen=1`)
  return { receiver, sender, request }
})

/** The result of one delivery to a receiver that responds with `respond`. */
const attemptAt = (respond: Respond) => Effect.flatMap(start(respond), ({ request, sender }) => sender.send(request))

const result = (
  httpStatus: number | null,
  error: string | null,
  retryAfter_s: number | null = null,
  duration_ms = 0
) => ({
  httpStatus,
  error,
  retryAfter_s,
  duration_ms
})

describe("a delivery", () => {
  it.effect("is a POST of the body as JSON", () =>
    Effect.gen(function* () {
      const { receiver, request, sender } = yield* start(ok)
      yield* sender.send(request)
      const [{ headers, method, path, text } = assert.fail()] = receiver.deliveries
      assert.deepStrictEqual([method, path, text], ["POST", "/saldo?origen=1", request.body])
      assert.strictEqual(headers["content-type"], "application/json")
      assert.strictEqual(headers["content-length"], String(Buffer.byteLength(request.body)))
      assert.strictEqual(headers["user-agent"], "Saldo-Webhooks")
      assert.strictEqual(headers["webhook-id"], "evt_1")
      assert.strictEqual(headers["webhook-timestamp"], "1772625600")
    })
  )

  it.live("carries a signature that a library of Standard Webhooks accepts, for each secret", () =>
    Effect.gen(function* () {
      const { receiver, request, sender } = yield* start(ok)
      // The library compares the timestamp with the clock of the machine.
      const timestamp_s = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const secrets = [secretOf(1), secretOf(2)].map((secret) => Redacted.make(secret))
      yield* sender.send({ ...request, timestamp_s, secrets })
      const [{ headers, text } = assert.fail()] = receiver.deliveries
      const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      for (const byte of [1, 2]) {
        assert.deepStrictEqual(new Webhook(secretOf(byte)).verify(text, named), JSON.parse(request.body))
      }
      assert.throws(() => new Webhook(secretOf(3)).verify(text, named))
      assert.throws(() => new Webhook(secretOf(1)).verify(text.replace("evt_1", "evt_2"), named))
      assert.throws(() => new Webhook(secretOf(1)).verify(text, { ...named, "webhook-id": "evt_2" }))
      assert.throws(() =>
        new Webhook(secretOf(1)).verify(text, { ...named, "webhook-timestamp": String(timestamp_s + 1) })
      )
    })
  )

  it.effect("reads no proxy from the environment", () =>
    Effect.gen(function* () {
      const proxy = yield* startReceiver(ok)
      for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"]) {
        vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`)
      }
      vi.stubEnv("NODE_USE_ENV_PROXY", "1")
      const { receiver, request, sender } = yield* start(ok)
      yield* sender.send(request)
      assert.deepStrictEqual([receiver.opened.count, proxy.opened.count], [1, 0])
    }).pipe(Effect.ensuring(Effect.sync(() => vi.unstubAllEnvs())))
  )
})

describe("the response to a delivery", () => {
  it.effect.each([
    [200, {}, null, null],
    [201, {}, null, null],
    [204, {}, null, null],
    [301, {}, "http_301", null],
    [304, {}, "http_304", null],
    [400, {}, "http_400", null],
    [401, {}, "http_401", null],
    [404, {}, "http_404", null],
    [410, {}, "http_410", null],
    [429, {}, "http_429", null],
    [429, { "retry-after": "120" }, "http_429", 120],
    [429, { "retry-after": "Thu, 01 Jan 1970 00:02:00 GMT" }, "http_429", 120],
    [429, { "retry-after": "pronto" }, "http_429", null],
    [503, { "retry-after": "7" }, "http_503", 7],
    [500, { "retry-after": "7" }, "http_500", null],
    [500, {}, "http_500", null],
    [599, {}, "http_599", null]
  ] as const)(
    "with status %i and headers %j gives the error %s and asks for a pause of %s s",
    ([status, headers, error, retryAfter_s]) =>
      Effect.gen(function* () {
        const attempt = yield* attemptAt((response) => response.writeHead(status, headers).end())
        assert.deepStrictEqual(attempt, result(status, error, retryAfter_s))
      })
  )

  it.effect.each([301, 302, 303, 307, 308])("with redirect %i is not followed", (status) =>
    Effect.gen(function* () {
      const target = yield* startReceiver(ok)
      const location = `http://127.0.0.1:${target.port}/`
      const attempt = yield* attemptAt((response) => response.writeHead(status, { location }).end())
      assert.deepStrictEqual(attempt, result(status, `http_${status}`))
      assert.strictEqual(target.opened.count, 0)
    })
  )

  it.effect.each([
    [
      "an informational response first",
      "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      200,
      null
    ],
    ["no HTTP", "SSH-2.0-OpenSSH_9.9\r\n", null, "respuesta_invalida"],
    ["a status that is no number", "HTTP/1.1 abc OK\r\n\r\n", null, "respuesta_invalida"],
    ["headers over 16 KiB", `HTTP/1.1 200 OK\r\nx: ${"x".repeat(17 * 1024)}\r\n\r\n`, null, "respuesta_invalida"],
    ["a body shorter than announced", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", 200, null],
    ["a broken chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 200, null],
    ["nothing", "", null, "conexion_cortada"],
    ["half a status line", "HTTP/1.1 20", null, "conexion_cortada"]
  ] as const)("with %s ends the attempt with a result", ([, bytes, status, error]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* attemptAt((_response, socket) => socket.end(bytes)), result(status, error))
    })
  )
})

/** Lets the sender process the data that it has received. */
const handled = Effect.promise(async () => {
  for (let turn = 0; turn < 20; turn++) await setImmediate()
})

const body =
  (size: number): Respond =>
  (response) =>
    response.end("x".repeat(size))

/** Writes until the connection closes. */
const endless: Respond = (response) => {
  const chunk = Buffer.alloc(8 * 1024)
  const write = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once("drain", write)
  }
  write()
}

describe("the body of the response to a delivery", () => {
  it.effect.each([0, 1, 16 * 1024])("of %i bytes is read, and the connection is used again", (size) =>
    Effect.gen(function* () {
      const { receiver, request, sender } = yield* start(body(size))
      assert.deepStrictEqual(yield* sender.send(request), result(200, null))
      yield* handled
      assert.deepStrictEqual(yield* sender.send(request), result(200, null))
      assert.strictEqual(receiver.opened.count, 1)
    })
  )

  it.effect.each([
    ["too long", body(1024 * 1024)],
    ["endless", endless],
    [
      "announced as too long",
      (response) => {
        response.writeHead(200, { "content-length": 1_000_000_000 })
        response.write("x")
      }
    ]
  ] as ReadonlyArray<readonly [string, Respond]>)(
    "that is %s closes the connection, and the event is delivered",
    ([, respond]) =>
      Effect.gen(function* () {
        const { receiver, request, sender } = yield* start(respond)
        assert.deepStrictEqual(yield* sender.send(request), result(200, null))
        yield* receiver.closed.reach(1)
      })
  )
})

/** Waits until the sender has received the headers of a response. */
const headersReceived = Effect.callback<void>((resume) => {
  const name = "undici:request:headers"
  const received = () => {
    unsubscribe(name, received)
    resume(Effect.void)
  }
  subscribe(name, received)
})

describe("after 15 seconds", () => {
  it.effect.each([
    ["sends no response", () => {}],
    ["sends half a header", (_response, socket) => void socket.write("HTTP/1.1 200 OK\r\nx-half")]
  ] as ReadonlyArray<readonly [string, Respond]>)("the attempt ends if the receiver %s", ([, respond]) =>
    Effect.gen(function* () {
      const { receiver, request, sender } = yield* start(respond)
      const sending = yield* Effect.forkChild(sender.send(request))
      yield* receiver.arrived.reach(1)
      yield* TestClock.adjust("14999 millis")
      assert.isUndefined(sending.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(sending), result(null, "timeout", null, 15_000))
      yield* receiver.closed.reach(1)
    })
  )

  it.effect("the connection is closed while the body is still arriving, and the event counts as delivered", () =>
    Effect.gen(function* () {
      const { receiver, request, sender } = yield* start((response) => void response.writeHead(200).write("x"))
      const received = yield* Effect.forkChild(headersReceived, { startImmediately: true })
      const sending = yield* Effect.forkChild(sender.send(request))
      yield* Fiber.join(received)
      yield* handled
      yield* TestClock.adjust("14999 millis")
      assert.isUndefined(sending.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(sending), result(200, null, null, 15_000))
      yield* receiver.closed.reach(1)
    })
  )

  it.effect("the attempt ends if the host name is not resolved", () =>
    Effect.gen(function* () {
      const sender = yield* makeSender({ local: false, resolve: () => new Promise(() => {}) })
      const sending = yield* Effect.forkChild(sender.send(delivery("https://ejemplo.com/")), { startImmediately: true })
      yield* TestClock.adjust("15 seconds")
      assert.deepStrictEqual(yield* Fiber.join(sending), result(null, "timeout", null, 15_000))
    })
  )
})

describe("an interrupted delivery", () => {
  it.effect.each([
    ["waits for the response", () => {}],
    ["reads the body", (response) => void response.writeHead(200).write("x")]
  ] as ReadonlyArray<readonly [string, Respond]>)("closes its connection while it %s", ([, respond]) =>
    Effect.gen(function* () {
      const { receiver, request, sender } = yield* start(respond)
      const sending = yield* Effect.forkChild(sender.send(request))
      yield* receiver.arrived.reach(1)
      yield* Fiber.interrupt(sending)
      yield* receiver.closed.reach(1)
    })
  )
})
