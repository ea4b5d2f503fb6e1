import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { CapturedLog } from "../../support/service/CapturedLog.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { as, call, get, post, raw, sell } from "../../support/service/HttpCalls.ts"
import { secret } from "../../support/service/InMemoryService.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { monitoredServer } from "../support/MonitoredServer.ts"

const logging = (level: string) =>
  monitoredServer({ LOG_LEVEL: level, LOG_FORMAT: "json" }).pipe(Layer.provideMerge(CapturedLog.layer))

interface Line {
  readonly message: readonly [string, Readonly<Record<string, unknown>>] | string
  readonly level: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Waits for the log line of a request. */
const lineOf = (requestId: string) =>
  Effect.flatMap(CapturedLog, (lines) =>
    eventually(
      Effect.sync(() =>
        lines
          .map((line): Line => JSON.parse(line))
          .find(({ annotations, message }) => annotations["request_id"] === requestId && message[0] === "answered")
      ),
      (line) => line !== undefined
    )
  )

const canary = { identifier: "8095559713", key: "llave-del-canario", terminal: "caja-canaria", secret: "c4n4rio" }
const sale = { service_id: 1, amount: 100, identifier: canary.identifier, terminal_id: canary.terminal }

layer(logging("debug"), { excludeTestServices: true })("a log at level debug", (it) => {
  it.effect("has a line for each request with its company, result and duration", () =>
    Effect.gen(function* () {
      const { auth, companyId } = yield* customer()
      const { body } = yield* sell(sale, auth)
      const line = yield* lineOf(body.request_id)
      assert.strictEqual(line?.level, "DEBUG")
      assert.deepStrictEqual(line?.annotations, {
        request_id: body.request_id,
        company: companyId,
        xid: body.data.xid
      })
      assert.deepStrictEqual(line?.message, [
        "answered",
        { method: "POST", path: "/v1/recargas", status: 201, code: null, duration_ms: 0 }
      ])
    })
  )

  it.effect.each([
    ["/v1/saldo", {}, [401, "UNAUTHENTICATED"], "/v1/saldo"],
    ["/v1/transacciones/77", null, [404, "NOT_FOUND"], "/v1/transacciones/{id}"],
    ["/v1/nada", null, [404, "NOT_FOUND"], "{unknown}"],
    ["/trpc/cuenta.ver", {}, [401, "UNAUTHENTICATED"], "/trpc/cuenta.ver"]
  ] as const)("has the error code of a refused request to %s", ([path, headers, ended, route]) =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const { headers: answered } = yield* call(path, { headers: headers ?? auth })
      const line = yield* lineOf(answered.get("x-request-id") ?? "")
      const [, details] = Array.isArray(line?.message) ? line.message : []
      assert.deepStrictEqual([details.status, details.code, details.path], [...ended, route])
    })
  )
})

layer(logging("warn"), { excludeTestServices: true })("a log at level warn", (it) => {
  it.effect("contains the cause of every internal error, but no line for successful or refused requests", () =>
    Effect.gen(function* () {
      const { provider } = yield* Script
      const { auth } = yield* customer()
      const well = yield* sell(sale, auth)
      const sql = yield* PgClient.PgClient
      yield* sql`alter table cell.entry rename to hidden`
      const failed = yield* get("/v1/movimientos", auth)
      yield* sql`alter table cell.hidden rename to entry`
      assert.strictEqual(failed.status, 500)
      const line = yield* lineOf(failed.body.request_id)
      assert.strictEqual(line?.level, "WARN")
      const lines = (yield* CapturedLog).map((each): Line => JSON.parse(each))
      assert.isEmpty(lines.filter(({ annotations }) => annotations["request_id"] === well.body.request_id))
      const cause = lines.find(({ message }) => message[0] === "a call failed")
      assert.strictEqual(cause?.annotations["request_id"], failed.body.request_id)
      // A defect in an adapter is also logged under the request's id.
      provider.set("8095559799", { dispatch: () => Effect.die(new Error("roto")) })
      const broken = yield* sell({ ...sale, identifier: "8095559799" }, auth)
      const below = (yield* CapturedLog)
        .map((each): Line => JSON.parse(each))
        .find(({ message }) => message[0] === "the provider's adapter failed on a sale, which stays held")
      assert.strictEqual(below?.annotations["request_id"], broken.body.request_id)
    })
  )
})

describe("a log at level all", () => {
  layer(logging("all"), { excludeTestServices: true })("contains no secret, key or identifier", (it) => {
    it.effect("after requests with every kind of outcome", () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { provider } = yield* Script
        const { apiKey, auth } = yield* customer()
        const key = { ...auth, "idempotency-key": canary.key }
        for (const _ of [1, 2]) yield* sell(sale, key)
        yield* sell({ ...sale, amount: 200 }, key)
        yield* sell({ ...sale, amount: canary.secret }, auth)
        yield* sell({ ...sale, service_id: 7, identifier: `${canary.identifier}12` }, auth)
        yield* sell(sale, as(apiKey, canary.secret))
        yield* post("/v1/recargas", `{"identifier":"${canary.identifier}",`, auth)
        yield* post("/v1/consultas", { service_id: 3, identifier: canary.identifier }, auth)
        yield* get(`/v1/transacciones?identifier=${canary.identifier}&q=${canary.secret}`, auth)
        yield* get(`/v1/${canary.identifier}/${canary.secret}`, auth)
        yield* call(`/trpc/recargas.crear?input=${canary.identifier}`, { headers: auth })
        yield* raw(
          `GET /v1/info HTTP/1.1\r\nHost: x\r\nAuthorization: ${canary.secret}\r\n${canary.identifier}\r\n\r\n`
        )
        provider.set(canary.identifier, { dispatch: () => Effect.succeed(DispatchAnswer.Unknown()) })
        yield* sell(sale, auth)
        yield* pass("1 minute")
        yield* recover("due")
        const log = (yield* CapturedLog).join("\n")
        assert.include(log, "answered")
        for (const needle of [...Object.values(canary), secret, apiKey]) assert.notInclude(log, needle)
      })
    )

    // Postgres reports a rejected row with all its values.
    it.effect.each([
      ["PROCESSING", "/v1/recargas", "a call failed"],
      ["PROCESSING", "/trpc/recargas.crear", "a call failed"],
      ["PENDING", "/v1/recargas", "an outcome could not be written and is retried"]
    ] as const)("when the database refuses a sale in %s by %s", ([status, path, logged]) =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { apiKey, auth } = yield* customer()
        const sql = yield* PgClient.PgClient
        const lines = yield* CapturedLog
        const before = lines.length
        const log = Effect.sync(() => lines.slice(before).join("\n"))
        yield* sql.unsafe(`alter table cell.transaction add constraint broken check (status <> '${status}') not valid`)
        const body = { ...sale, idempotency_key: canary.key }
        const asked = yield* Effect.forkChild(post(path, body, { ...auth, "idempotency-key": canary.key }))
        yield* eventually(log, (text) => text.includes(logged))
        yield* sql`alter table cell.transaction drop constraint broken`
        yield* pass("1 second")
        yield* Fiber.join(asked)
        for (const needle of [...Object.values(canary), secret, apiKey]) assert.notInclude(yield* log, needle)
      })
    )
  })
})
