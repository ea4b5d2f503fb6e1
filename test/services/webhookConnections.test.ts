import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, expect, it, vi } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { AddressRefused } from "../../adapters/webhook/NameLookup.ts"
import { noResponseOf } from "../../adapters/webhook/NoResponse.ts"
import { RequestCounter } from "../fakes/FakeServer.ts"
import { certificateIn } from "../support/Certificates.ts"
import { delivery, makeSender, startReceiver } from "./support/Webhooks.ts"

/** A port of this machine on which nothing listens. */
const closedPort = Effect.promise(async () => {
  const server = createServer()
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
})

/** A port of this machine that accepts connections and never sends a byte. */
const silentPort = Effect.acquireRelease(
  Effect.promise(async () => {
    const opened = new RequestCounter()
    const sockets: Array<Socket> = []
    const server = createServer((socket) => {
      sockets.push(socket.on("error", () => {}))
      opened.arrive()
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    return { server, sockets, opened, port: (server.address() as AddressInfo).port }
  }),
  ({ server, sockets }) =>
    Effect.sync(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
)

const certificate = (which: "valid" | "expired") =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "saldo-receiver-"))),
    (directory) =>
      Effect.sync(() => {
        const { TLS_CERT_FILE, TLS_KEY_FILE } = certificateIn(directory, which)
        return { cert: readFileSync(TLS_CERT_FILE, "utf8"), key: readFileSync(TLS_KEY_FILE, "utf8") }
      }),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
  )

/** Trusts a certificate in this process until the scope closes. */
const trusting = (certificate: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = getCACertificates("default")
      setDefaultCACertificates([...before, certificate])
      return before
    }),
    (before) => Effect.sync(() => setDefaultCACertificates(before))
  )

describe("a connection", () => {
  it.effect.each(["127.0.0.1", "localhost", "[::1]"])("to a closed port of %s fails with an error", (host) =>
    Effect.gen(function* () {
      const sender = yield* makeSender({ local: true })
      const request = delivery(`http://${host}:${yield* closedPort}/`)
      assert.strictEqual((yield* sender.send(request)).error, "conexion_rechazada")
    })
  )

  it.effect.each([
    // certificate, whether it is trusted, host, error
    ["valid", true, "localhost", null],
    ["valid", true, "api.localhost", "tls"],
    ["valid", false, "localhost", "tls"],
    ["expired", true, "localhost", "tls"],
    ["expired", false, "localhost", "tls"]
  ] as const)(
    "over TLS with a certificate that is %s (trusted: %s) at the host %s gives the error %s",
    ([which, trusted, host, error]) =>
      Effect.gen(function* () {
        // An environment variable must not turn off the verification of certificates.
        vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0")
        const files = yield* certificate(which)
        if (trusted) yield* trusting(files.cert)
        const receiver = yield* startReceiver((response) => response.end(), files)
        const sender = yield* makeSender({ local: true })
        const attempt = yield* sender.send(delivery(`https://${host}:${receiver.port}/`))
        assert.strictEqual(attempt.error, error)
        assert.strictEqual(receiver.deliveries.length, error === null ? 1 : 0)
      }).pipe(Effect.ensuring(Effect.sync(() => vi.unstubAllEnvs())))
  )

  it.effect("over TLS to a receiver that speaks http fails with an error", () =>
    Effect.gen(function* () {
      const receiver = yield* startReceiver((response) => response.end())
      const sender = yield* makeSender({ local: true })
      const attempt = yield* sender.send(delivery(`https://localhost:${receiver.port}/`))
      assert.strictEqual(attempt.error, "tls")
      assert.isEmpty(receiver.deliveries)
    })
  )

  it.effect("over TLS ends after 15 seconds if its handshake does not finish", () =>
    Effect.gen(function* () {
      const { opened, port } = yield* silentPort
      const sender = yield* makeSender({ local: true })
      const sending = yield* Effect.forkChild(sender.send(delivery(`https://localhost:${port}/`)))
      yield* opened.reach(1)
      yield* TestClock.adjust("14999 millis")
      assert.isUndefined(sending.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const { duration_ms, error } = yield* Fiber.join(sending)
      assert.deepStrictEqual([error, duration_ms], ["timeout", 15_000])
    })
  )

  it.each([
    [{ code: "ENOTFOUND", syscall: "queryA" }, "dns"],
    [{ code: "ETIMEOUT", syscall: "queryA" }, "dns"],
    [{ code: "ECONNREFUSED", syscall: "queryAaaa" }, "dns"],
    [{ code: "ECONNREFUSED", syscall: "connect" }, "conexion_rechazada"],
    [{ code: "EHOSTUNREACH", syscall: "connect" }, "conexion_rechazada"],
    [{ code: "ENETUNREACH", syscall: "connect" }, "conexion_rechazada"],
    [{ code: "ETIMEDOUT", syscall: "connect" }, "timeout"],
    [{ code: "UND_ERR_CONNECT_TIMEOUT" }, "timeout"],
    [{ code: "ECONNREFUSED", errors: [{ code: "EHOSTUNREACH" }, { code: "ECONNREFUSED" }] }, "conexion_rechazada"],
    [{ code: "ETIMEDOUT", errors: [{ code: "ETIMEDOUT" }, { code: "ENETUNREACH" }] }, "timeout"],
    [{ code: "SELF_SIGNED_CERT_IN_CHAIN" }, "tls"],
    [{ code: "ERR_TLS_CERT_ALTNAME_INVALID" }, "tls"],
    [{ code: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION" }, "tls"],
    [{ code: "UND_ERR_HEADERS_OVERFLOW" }, "respuesta_invalida"],
    [{ code: "ECONNRESET", syscall: "read" }, "conexion_cortada"],
    [{ code: "UND_ERR_SOCKET" }, "conexion_cortada"],
    [new AddressRefused(), "direccion_no_permitida"],
    [new Error("unknown"), "conexion_cortada"],
    [null, "conexion_cortada"]
  ])("that fails with %j is reported as %s", (cause, error) => {
    expect(noResponseOf(cause)).toBe(error)
  })
})
