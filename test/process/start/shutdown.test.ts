import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Schedule, Scope } from "effect"
import { serveLocally } from "../../fakes/LocalServer.ts"
import { commandLineOn } from "../../support/CommandLine.ts"
import { holdingLock } from "../../support/Concurrency.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { eventually } from "../../support/Eventually.ts"
import { timeout_ms } from "../../support/FirstStart.ts"
import { ManualClock, ServiceAddress } from "../../support/InProcessService.ts"
import { ended, type SaldoProcess, serving, stopped } from "../../support/SaldoProcess.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { sell } from "../../support/service/HttpCalls.ts"
import { endOf, isOver, rawClient } from "../../support/service/RawClient.ts"
import { anotherServer, TestServer } from "../../support/service/TestServer.ts"
import { createProductionCompany, postSale } from "../support/ProductionCompany.ts"

const secret = "0123456789abcdef0123456789abcdef"

/** A fake gateway that delays its responses until the test calls `deliver`. */
const slowGateway = Effect.gen(function* () {
  const waiting: Array<() => void> = []
  const server = createServer(async (request, response) => {
    // The server also asks the provider for Saldo's balance.
    if (request.method === "GET") return response.writeHead(404).end()
    const { amount_centavos, xid } = (await json(request)) as { amount_centavos: number; xid: string }
    const delivered = { outcome: "delivered", xid, amount_centavos, auth_code: "LENTA-1", recharge_token: null }
    waiting.push(() => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(delivered)))
  })
  return {
    url: yield* serveLocally(server),
    asked: () => waiting.length,
    deliver: () => {
      for (const answer of waiting) answer()
    }
  }
})

/** A server that uses this gateway, and a company that sells on it. */
const sellingThrough = Effect.fnUntraced(function* (url: string, environment: Readonly<Record<string, string>>) {
  const database = yield* freshDatabaseUrl
  const { answer } = commandLineOn(database)
  const { token } = yield* createProductionCompany(answer)
  const server = yield* serving({
    DATABASE_URL: database,
    OPS_PORT: "0",
    PROVIDER: "http",
    PROVIDER_URL: url,
    PROVIDER_SECRET: secret,
    ...environment
  })
  const [, ops = ""] = /metrics\s+(\S+)\/metrics/.exec(server.stdout()) ?? []
  const sell = Effect.suspend(() => postSale(server.url, token, randomUUID()))
  return { answer, server, ops, sell }
})

/** Status and authorization code of every sale. */
const soldBy = (answer: ReturnType<typeof commandLineOn>["answer"]) =>
  Effect.map(answer("transactions", "list"), ({ items }) =>
    items.map(({ auth_code, status }: { auth_code: string; status: string }) => [status, auth_code])
  )

const readyz = (ops: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${ops}/readyz`)
    const { missing } = (await response.json()) as { readonly missing: ReadonlyArray<string> }
    return { status: response.status, stopping: missing.includes("stopping") }
  })

const tell = (running: SaldoProcess, signal: NodeJS.Signals) => Effect.sync(() => running.process.kill(signal))

/** Waits until the readiness check reports that the process is stopping. */
const stoppingAt = (ops: string) => Effect.repeat(readyz(ops), { until: ({ stopping }) => stopping })

/** The head of a request for a sale. It announces 100 bytes of body, more than a test sends. */
const halfSale = (bearer: string) =>
  [
    "POST /v1/recargas HTTP/1.1",
    "Host: a",
    `Authorization: Bearer ${bearer}`,
    `Idempotency-Key: ${randomUUID()}`,
    "Content-Type: application/json",
    "Content-Length: 100\r\n\r\n"
  ].join("\r\n")

describe("a server with closed output pipes", { timeout: timeout_ms }, () => {
  it.live("keeps serving", () =>
    Effect.gen(function* () {
      const server = yield* serving({ DATABASE_URL: yield* freshDatabaseUrl, LOG_LEVEL: "debug" })
      server.process.stderr?.destroy()
      server.process.stdout?.destroy()
      for (const _ of [1, 2, 3]) {
        const { status } = yield* Effect.promise(() => fetch(`${server.url}/v1/health`))
        assert.strictEqual(status, 200)
      }
      assert.strictEqual(yield* stopped(server, "SIGTERM"), 0)
    })
  )
})

describe("a server that receives SIGTERM", { timeout: timeout_ms }, () => {
  it.live("becomes not ready, settles the sales in progress, closes its connections and exits with code 0", () =>
    Effect.gen(function* () {
      const gateway = yield* slowGateway
      const { answer, ops, sell, server } = yield* sellingThrough(gateway.url, {})
      assert.deepStrictEqual(yield* readyz(ops), { status: 200, stopping: false })
      const [sale, disconnected] = [yield* Effect.forkChild(sell), yield* Effect.forkChild(sell)]
      yield* eventually(Effect.sync(gateway.asked), (asked) => asked === 2)
      // A sale is settled even if its client has disconnected.
      yield* Fiber.interrupt(disconnected)
      yield* tell(server, "SIGTERM")
      assert.strictEqual((yield* stoppingAt(ops)).status, 503)
      gateway.deliver()
      const { headers, status } = yield* Fiber.join(sale)
      assert.deepStrictEqual([status, headers.get("connection")], [201, "close"])
      assert.strictEqual(yield* ended(server), 0)
      const sold = ["SUCCESS", "LENTA-1"]
      assert.deepStrictEqual(yield* soldBy(answer), [sold, sold])
    })
  )

  it.live("cuts requests that have not arrived completely, and logs no error", () =>
    Effect.gen(function* () {
      const server = yield* serving({ DATABASE_URL: yield* freshDatabaseUrl, OPS_PORT: "0", LOG_LEVEL: "debug" })
      const [, ops = ""] = /metrics\s+(\S+)\/metrics/.exec(server.stdout()) ?? []
      const open = Effect.fnUntraced(function* (url: string, bytes: string) {
        const address = { url, port: Number(new URL(url).port) }
        const client = yield* Effect.provideService(rawClient(bytes), ServiceAddress, address)
        yield* eventually(
          Effect.sync(() => client.socket.readyState),
          (state) => state === "open"
        )
        return client
      })
      const begun = [
        yield* open(server.url, "POST /v1/recargas HTTP/1.1\r\nHost: a\r\n"),
        yield* open(server.url, `${halfSale("sandbox_publico.sandbox_secreto_publico_2026")}{"service_id"`),
        yield* open(ops, "GET /metrics HTTP/1.1\r\n")
      ]
      // Connections are accepted in order. This response therefore shows that the earlier connections were accepted.
      assert.strictEqual((yield* Effect.promise(() => fetch(`${server.url}/v1/estado`))).status, 200)
      assert.strictEqual(yield* stopped(server, "SIGTERM"), 0)
      for (const { said } of begun) assert.strictEqual(yield* said, "")
      assert.match(server.stderr(), /"path":"\/v1\/recargas","status":499/)
      assert.notMatch(server.stderr(), /"level":"ERROR"|"status":500/)
    })
  )

  it.live("keeps serving during SHUTDOWN_DELAY and exits immediately on a second signal", () =>
    Effect.gen(function* () {
      const gateway = yield* slowGateway
      const { ops, sell, server } = yield* sellingThrough(gateway.url, { SHUTDOWN_DELAY: "300" })
      yield* tell(server, "SIGTERM")
      assert.strictEqual((yield* stoppingAt(ops)).status, 503)
      const sale = yield* Effect.forkChild(sell)
      yield* eventually(Effect.sync(gateway.asked), (asked) => asked === 1)
      gateway.deliver()
      assert.strictEqual((yield* Fiber.join(sale)).status, 201)
      const telling = yield* Effect.forkChild(Effect.repeat(tell(server, "SIGTERM"), Schedule.spaced("200 millis")))
      assert.strictEqual(yield* ended(server), 130)
      yield* Fiber.interrupt(telling)
    })
  )
})

/** A server in this process with a sale that waits for a lock until `release`. */
const serverWithBlockedSale = Effect.gen(function* () {
  const { pass } = yield* ManualClock
  const sql = yield* PgClient.PgClient
  const { auth, companyId } = yield* customer()
  const life = yield* Scope.make()
  const at = yield* Scope.provide(anotherServer(), life)
  const { release } = yield* holdingLock(`select from cell.balance where company_id = ${companyId} for update`)
  const sale = yield* Effect.forkChild(at(sell({ service_id: 7, amount: 100, identifier: "204510003" }, auth)))
  yield* eventually(sql`select from pg_locks where not granted`, (waiting) => waiting.length > 0)
  return { at, auth, pass, release, sale, stop: Effect.forkChild(Scope.close(life, Exit.void)) }
})

layer(TestServer, { excludeTestServices: true })("a server that stops", (it) => {
  it.effect("cuts all requests except a running sale after three seconds", () =>
    Effect.gen(function* () {
      const { at, auth, pass, release, sale, stop } = yield* serverWithBlockedSale
      const halfHead = yield* at(rawClient("POST /v1/recargas HTTP/1.1\r\nHost: a\r\n"))
      const halfBody = yield* at(rawClient(`${halfSale(auth.authorization.slice("Bearer ".length))}{"service_id"`))
      const idle = yield* at(rawClient("GET /v1/estado HTTP/1.1\r\nHost: a\r\n\r\n"))
      yield* eventually(idle.said, (said) => said.includes("200 OK"))
      const stopping = yield* stop
      // An idle connection is closed as soon as the server begins to stop.
      yield* endOf(idle)
      assert.deepStrictEqual([yield* isOver(halfHead), yield* isOver(halfBody)], [false, false])
      yield* pass("3 seconds")
      yield* endOf(halfHead)
      yield* endOf(halfBody)
      yield* pass("1 seconds")
      assert.isUndefined(sale.pollUnsafe())
      yield* release
      const { headers, status } = yield* Fiber.join(sale)
      assert.deepStrictEqual([status, headers.get("connection")], [201, "close"])
      yield* Fiber.join(stopping)
    })
  )

  it.effect("answers INTERNAL_ERROR in the error format of the API to a sale that stays blocked", () =>
    Effect.gen(function* () {
      const { pass, release, sale, stop } = yield* serverWithBlockedSale
      const stopping = yield* stop
      yield* eventually(
        Effect.map(pass("5 seconds"), () => sale.pollUnsafe()),
        (answer) => answer !== undefined
      )
      const { body, headers, status } = yield* Fiber.join(sale)
      assert.deepStrictEqual([status, body.error.code], [500, "INTERNAL_ERROR"])
      assert.strictEqual(body.request_id, headers.get("x-request-id"))
      yield* release
      yield* Fiber.join(stopping)
    })
  )
})
