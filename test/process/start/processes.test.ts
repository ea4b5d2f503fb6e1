import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { Agent, createServer, request } from "node:http"
import { createServer as createTcpServer } from "node:net"
import { text } from "node:stream/consumers"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { listenLocally, serveLocally } from "../../fakes/LocalServer.ts"
import { commandLineOn } from "../../support/CommandLine.ts"
import { authorizationOf } from "../../support/CompaniesAndTokens.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { eventually } from "../../support/Eventually.ts"
import { timeout_ms } from "../../support/FirstStart.ts"
import { ended, type SaldoProcess, saldo, serving, stopped } from "../../support/SaldoProcess.ts"

/** The processes that a process has started, oldest first. */
const childrenOf = (running: SaldoProcess): ReadonlyArray<number> =>
  execFileSync("ps", ["-A", "-o", "ppid=,pid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([parent, child = 0]) => (parent === running.process.pid ? [child] : []))
    .sort((one, other) => one - other)

/** A provider that only counts the questions about its balance. Each start of the background work asks once. */
const providerWithBalance = Effect.gen(function* () {
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    response.writeHead(404).end()
  })
  return { url: yield* serveLocally(server), asked: () => asked }
})

interface Answer {
  readonly status: number
  /** The end of the minute in which the call was counted. */
  readonly window: string
}

/** Makes a call. Returns null if the connection breaks. */
const call = (agent: Agent, url: string, headers: Readonly<Record<string, string>> = {}, sale?: object) =>
  Effect.callback<Answer | null>((resume) => {
    const broken = () => resume(Effect.succeed(null))
    const options = { agent, headers, method: sale === undefined ? "GET" : "POST" }
    request(url, options, (response) => {
      const answer = { status: response.statusCode ?? 0, window: String(response.headers["x-ratelimit-reset"]) }
      text(response).then(() => resume(Effect.succeed(answer)), broken)
    })
      .on("error", broken)
      .end(sale && JSON.stringify(sale))
  })

const connection = Effect.acquireRelease(
  Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1 })),
  (agent) => Effect.sync(() => agent.destroy())
)

/**
 * A client that sells on one connection until the test stops it. Returns the statuses, and how often the connection
 * broke.
 */
const sellUntil = (url: string, authorization: string) =>
  Effect.fnUntraced(function* (isOver: () => boolean) {
    const agent = yield* connection
    const statuses: Array<number> = []
    let broken = 0
    while (!isOver()) {
      const headers = { authorization, "content-type": "application/json", "idempotency-key": randomUUID() }
      const sale = { service_id: 1, identifier: "8095550123", amount: 20 }
      const answer = yield* call(agent, `${url}/v1/recargas`, headers, sale)
      if (answer === null) broken += 1
      else statuses.push(answer.status)
    }
    return { statuses, broken }
  }, Effect.scoped)

/** A company with money in development. Returns the Authorization header of its token. */
const customerOn = Effect.fnUntraced(function* (database: string) {
  const { answer } = commandLineOn(database)
  const names = ["--razon-social", "Colmado", "--codigo", "C-1", "--ambiente", "development"]
  const { empresa_id: company } = yield* answer("company", "create", ...names)
  for (const reference of ["uno", "dos"])
    yield* answer("company", "deposit", `${company}`, "1000000", "--referencia", reference)
  const { api_key, api_secret } = yield* answer("token", "issue", `${company}`, "--nombre", "caja")
  return authorizationOf(api_key, api_secret)
})

/** A server with two workers, and its operations port. */
class TwoWorkers extends Context.Service<
  TwoWorkers,
  {
    readonly server: SaldoProcess & { readonly url: string }
    readonly ops: string
    /** How often the background work has started, in all workers. */
    readonly begun: () => number
    /** Sells on one connection until the test stops it. */
    readonly sell: ReturnType<typeof sellUntil>
  }
>()("test/TwoWorkers") {
  static readonly layer = Layer.effect(
    TwoWorkers,
    Effect.gen(function* () {
      const provider = yield* providerWithBalance
      const database = yield* freshDatabaseUrl
      const authorization = yield* customerOn(database)
      const server = yield* serving({
        PROCESSES: "2",
        DATABASE_URL: database,
        PG_POOL_MAX: "4",
        OPS_PORT: "0",
        LOG_LEVEL: "info",
        RATE_LIMIT_PER_MINUTE: "1000000",
        RATE_LIMIT_ADDRESS_PER_MINUTE: "20",
        PROVIDER: "http",
        PROVIDER_URL: provider.url,
        PROVIDER_SECRET: "0123456789abcdef0123456789abcdef"
      })
      const [, ops = ""] = /metrics\s+(\S+)\/metrics/.exec(server.stdout()) ?? []
      return { server, ops, begun: provider.asked, sell: sellUntil(server.url, authorization) }
    })
  )
}

/** Pause between two tries that start a process or read the metrics of all workers. */
const pause_ms = 50

/** Number of clients that sell. Each sale takes processor time that a starting worker needs. */
const clients = 2

/**
 * Runs `change`, which replaces workers, while clients sell. Returns the statuses of all sales, their number, and the
 * number of calls whose connection broke.
 */
const duringSales = Effect.fnUntraced(function* (change: Effect.Effect<unknown>) {
  const { sell } = yield* TwoWorkers
  let isOver = false
  const selling = yield* Effect.forkChild(
    Effect.forEach(Array(clients).keys(), () => sell(() => isOver), { concurrency: clients })
  )
  yield* change
  isOver = true
  const results = yield* Fiber.join(selling)
  const statuses = results.flatMap((each) => each.statuses)
  const broken = results.reduce((sum, each) => sum + each.broken, 0)
  return { statuses: [...new Set(statuses)], sales: statuses.length, broken }
})

/** The number of sales in the metrics of all workers. */
const countedSales = (ops: string) =>
  Effect.promise(async () => {
    const metrics = await (await fetch(`${ops}/metrics`)).text()
    const [, count = "0"] = /^saldo_sales_total\{status="SUCCESS",tipo="mobile_recharge"\} (\d+)$/m.exec(metrics) ?? []
    return Number(count)
  })

const readiness = (ops: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${ops}/readyz`)
    return [response.status, await response.json()]
  })

// The tests share one server, because each start of a process takes a second or more. The tests run in this order.
layer(TwoWorkers.layer, { excludeTestServices: true, timeout: timeout_ms })("a server with two workers", (it) => {
  it.effect("prints one banner, is alive and ready, and gives the background work to one worker", () =>
    Effect.gen(function* () {
      const { begun, ops, server } = yield* TwoWorkers
      assert.lengthOf(server.stdout().match(/ready at/g) ?? [], 1)
      assert.lengthOf(childrenOf(server), 2)
      assert.strictEqual((yield* Effect.promise(() => fetch(`${ops}/livez`))).status, 200)
      const ready = yield* eventually(readiness(ops), ([status]) => status === 200)
      assert.deepStrictEqual(ready, [200, { ready: true, missing: [], cells_down: [] }])
      assert.strictEqual(yield* eventually(Effect.sync(begun), (starts) => starts > 0), 1)
    })
  )

  it.effect("admits as many calls as the limit allows, counted over both workers", () =>
    Effect.gen(function* () {
      const { server } = yield* TwoWorkers
      const calls = Effect.flatMap(connection, (agent) =>
        Effect.replicateEffect(call(agent, `${server.url}/v1/estado`), 10)
      )
      const answers = (yield* Effect.forEach(Array(8).keys(), () => Effect.scoped(calls), {
        concurrency: "unbounded"
      })).flat()
      // A minute of the clock may end between two calls. The limit counts each minute separately.
      for (const each of new Set(answers.map((answer) => answer?.window))) {
        const counted = answers.filter((answer) => answer?.window === each)
        const admitted = counted.filter((answer) => answer?.status === 200)
        assert.lengthOf(admitted, Math.min(20, counted.length))
        assert.lengthOf(
          counted.filter((answer) => answer?.status === 429),
          counted.length - admitted.length
        )
      }
    })
  )

  it.effect(
    "replaces a killed worker while the other worker serves, and restarts the background work",
    () =>
      Effect.gen(function* () {
        const { begun, ops, server } = yield* TwoWorkers
        const [oldest = 0, other = 0] = childrenOf(server)
        const callOnce = Effect.scoped(Effect.flatMap(connection, (agent) => call(agent, `${server.url}/v1/estado`)))
        const before = yield* countedSales(ops)
        const change = Effect.gen(function* () {
          yield* eventually(countedSales(ops), (sales) => sales > before, pause_ms)
          process.kill(oldest, "SIGSTOP")
          // One of the first two new connections goes to the stopped worker, which does not accept the connection.
          const calling = yield* Effect.forEach([1, 2], () => Effect.forkChild(callOnce, { startImmediately: true }))
          assert.isNotNull(yield* callOnce)
          process.kill(oldest, "SIGKILL")
          const answers = yield* Effect.forEach(calling, Fiber.join)
          assert.lengthOf(
            answers.filter((answer) => answer === null),
            1
          )
          yield* eventually(
            Effect.sync(() => childrenOf(server)),
            (now) => now.length === 2 && !now.includes(oldest),
            pause_ms
          )
          yield* eventually(Effect.sync(begun), (starts) => starts === 2)
        })
        const { broken, statuses } = yield* duringSales(change)
        assert.deepStrictEqual(statuses, [201])
        assert.isAtMost(broken, clients)
        assert.include(childrenOf(server), other)
        assert.match(server.stderr(), /a worker process ended and is replaced/)
        assert.isAtLeast(yield* countedSales(ops), before)
      }),
    timeout_ms
  )

  it.effect(
    "replaces all workers on SIGHUP without breaking a call, and keeps the counts of the old workers",
    () =>
      Effect.gen(function* () {
        const { begun, ops, server } = yield* TwoWorkers
        const old = childrenOf(server)
        const before = yield* countedSales(ops)
        const change = Effect.andThen(
          Effect.sync(() => server.process.kill("SIGHUP")),
          eventually(Effect.sync(server.stderr), (log) => log.includes("all worker processes are replaced"))
        )
        const { broken, sales, statuses } = yield* duringSales(change)
        assert.deepStrictEqual([statuses, broken], [[201], 0])
        const now = childrenOf(server)
        assert.lengthOf(now, 2)
        assert.isEmpty(now.filter((pid) => old.includes(pid)))
        assert.strictEqual(yield* countedSales(ops), before + sales)
        assert.strictEqual(yield* eventually(Effect.sync(begun), (starts) => starts > 2), 3)
      }),
    timeout_ms
  )

  it.effect("ends all processes on SIGTERM with code 0", () =>
    Effect.gen(function* () {
      const { server } = yield* TwoWorkers
      const workers = childrenOf(server)
      assert.strictEqual(yield* stopped(server, "SIGTERM"), 0)
      for (const pid of workers) assert.throws(() => process.kill(pid, 0), /ESRCH/)
    })
  )
})

/** Runs a server that cannot start. Returns its exit code and its error. */
const failing = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const server = yield* saldo(["serve"], environment)
  return { code: yield* ended(server), error: server.stderr() }
})

describe("a server with several processes that cannot start", { timeout: timeout_ms }, () => {
  it.live("fails like a single process when the port is taken", () =>
    Effect.gen(function* () {
      const PORT = String(yield* listenLocally(createTcpServer()))
      const environment = { PORT, DATABASE_URL: yield* freshDatabaseUrl }
      const alone = yield* failing(environment)
      assert.strictEqual(alone.code, 1)
      assert.match(alone.error, /^error: port \d+ at 127\.0\.0\.1 is taken: .*\n$/)
      assert.deepStrictEqual(yield* failing({ ...environment, PROCESSES: "2" }), alone)
    })
  )

  it.live("refuses a number of processes that is not valid", () =>
    Effect.gen(function* () {
      const { code, error } = yield* failing({ PROCESSES: "0" })
      assert.deepStrictEqual(
        [code, error],
        [1, 'error: PROCESSES is "0"; it must be a whole number from 1 to 64, or auto\n']
      )
      const wrong = yield* saldo(["serve", "--processes", "many"], {})
      assert.strictEqual(yield* ended(wrong), 2)
      assert.match(wrong.stderr(), /Expected: a whole number from 1 to 64, or auto/)
    })
  )
})
