import { randomUUID } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { recover } from "../../../core/workflows/Recover.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { get, sell } from "../../support/service/HttpCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const sale = (identifier: string, more: object = {}) => ({ service_id: 1, identifier, amount: 100, ...more })

/** Status and body of a response without the request id. A replay must equal the first response in these parts. */
const answer = ({ body: { request_id, ...rest }, status }: { body: Record<string, unknown>; status: number }) => ({
  status,
  ...rest
})

const paths = ["/v1/recargas", "/v1/recharges"] as const

/** A new company, and a function that sends a sale of this company, always under the same key. */
const keyed = Effect.gen(function* () {
  const { auth } = yield* customer()
  const headers = { ...auth, "idempotency-key": randomUUID() }
  return { auth, sellAgain: (body: object | string, path: string = paths[0]) => sell(body, headers, path) }
})

/** A sale whose process crashed right after the reservation. */
const crashed = Effect.fnUntraced(function* (identifier: string) {
  const { crash } = yield* Script
  const { auth, sellAgain } = yield* keyed
  crash.add(identifier)
  const lost = yield* sellAgain(sale(identifier))
  crash.delete(identifier)
  assert.deepStrictEqual([lost.status, lost.body.error.code], [500, "INTERNAL_ERROR"])
  const [row] = (yield* get("/v1/transacciones?status=PROCESSING", auth)).body.data.items
  return { auth, sellAgain, id: row.transaction_id as number }
})

layer(SpreadTestServer, { excludeTestServices: true })("an idempotency key (contract 3.2)", (it) => {
  describe.each([
    [paths[0], paths[0]],
    [paths[0], paths[1]],
    [paths[1], paths[0]]
  ])("used at %s and then at %s", (first, second) => {
    it.effect.each([
      ["8095550003", 201],
      ["8095550012", 202],
      ["8095550000", 422],
      ["8095550001", 422]
    ] as const)("replays the sale to %s with its status %i", ([identifier, status]) =>
      Effect.gen(function* () {
        const { sellAgain } = yield* keyed
        const original = yield* sellAgain(sale(identifier), first)
        assert.deepStrictEqual([original.status, original.headers.get("idempotent-replay")], [status, null])
        const replay = yield* leavesRowsUnchanged(sellAgain(sale(identifier), second))
        assert.strictEqual(replay.headers.get("idempotent-replay"), "true")
        assert.deepStrictEqual(answer(replay), answer(original))
        assert.notStrictEqual(replay.body.request_id, original.body.request_id)
      })
    )

    it.effect.each([
      ["amount", { amount: 101 }],
      ["identifier", { identifier: "8095550004" }],
      ["service", { service_id: 2 }],
      ["terminal", { terminal_id: "caja-2" }]
    ] as const)("is rejected when the second sale has a different %s", ([, other]) =>
      Effect.gen(function* () {
        const { sellAgain } = yield* keyed
        yield* sellAgain(sale("8095550003"), first)
        const { body, status } = yield* leavesRowsUnchanged(sellAgain(sale("8095550003", other), second))
        assert.deepStrictEqual([status, body.error.code], [422, "VALIDATION_ERROR"])
        assert.deepStrictEqual(body.error.details, { "Idempotency-Key": "clave_reutilizada" })
      })
    )
  })

  it.effect("replays a sale when the second body has the same values in another JSON notation", () =>
    Effect.gen(function* () {
      const { sellAgain } = yield* keyed
      const original = yield* sellAgain(sale("8095550003", { amount: "100.00" }))
      const other = '{"amount":1e2, "identifier":"8095550003", "service_id":1.0, "extra":[1]}'
      const replay = yield* leavesRowsUnchanged(sellAgain(other))
      assert.strictEqual(replay.headers.get("idempotent-replay"), "true")
      assert.deepStrictEqual(answer(replay), answer(original))
    })
  )

  it.effect("replays the original 202 even after its sale has been settled", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { auth, sellAgain } = yield* keyed
      const original = yield* sellAgain(sale("8095550022"))
      yield* pass("1 minutes")
      yield* recover("due")
      assert.strictEqual((yield* get(original.headers.get("location") ?? "", auth)).body.data.status, "SUCCESS")
      assert.deepStrictEqual(answer(yield* leavesRowsUnchanged(sellAgain(sale("8095550022")))), answer(original))
    })
  )

  it.effect.each([
    ["fields", { amount: 100.001 }, {}, "VALIDATION_ERROR"],
    ["the product", { service_id: 99 }, {}, "INVALID_PRODUCT"],
    ["limits", { amount: 400 }, { limits: { daily: 30_000 } }, "LIMIT_EXCEEDED"],
    ["the balance", { amount: 1_001 }, {}, "INSUFFICIENT_BALANCE"]
  ] as const)(
    "can be used again after its sale was rejected before the reservation by the check of %s",
    ([, wrong, wanted, code]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer(wanted as Parameters<typeof customer>[0])
        const headers = { ...auth, "idempotency-key": randomUUID() }
        const refused = yield* leavesRowsUnchanged(sell(sale("8095550003", wrong), headers))
        assert.deepStrictEqual([refused.status, refused.body.error.code], [422, code])
        const sold = yield* sell(sale("8095550003"), headers)
        assert.deepStrictEqual([sold.status, sold.headers.get("idempotent-replay")], [201, null])
      })
  )

  it.effect("is separate for each company", () =>
    Effect.gen(function* () {
      const key = { "idempotency-key": randomUUID() }
      const [one, other] = [yield* customer(), yield* customer()]
      const first = yield* sell(sale("8095550003"), { ...one.auth, ...key })
      const second = yield* sell(sale("8095550004"), { ...other.auth, ...key })
      assert.deepStrictEqual([first.status, second.status], [201, 201])
      assert.notStrictEqual(second.body.data.xid, first.body.data.xid)
    })
  )

  it.effect("is reported as in progress while its sale runs", () =>
    Effect.gen(function* () {
      const { provider } = yield* Script
      const { sellAgain } = yield* keyed
      const context = yield* Effect.context<Effect.Services<ReturnType<typeof sellAgain>>>()
      const seen: Array<unknown> = []
      const meanwhile = Effect.tap(sellAgain(sale("8095550083")), ({ body, headers, status }) =>
        Effect.sync(() => seen.push(status, body.error.code, headers.get("retry-after")))
      )
      provider.set("8095550083", {
        dispatch: () => Effect.as(Effect.provide(meanwhile, context), { _tag: "Unknown" })
      })
      const { status } = yield* sellAgain(sale("8095550083"))
      assert.deepStrictEqual([status, ...seen], [202, 409, "IDEMPOTENT_REQUEST_IN_PROGRESS", "2"])
    })
  )

  describe("of a sale whose process crashed", () => {
    it.effect.each([
      ["8095550033", 201, "SUCCESS"],
      ["8095550030", 422, "FAILED"],
      ["8095550112", 202, "PENDING"]
    ] as const)(
      "is reported as in progress until recovery settles the sale to %s; a replay then has status %i",
      ([identifier, status, state]) =>
        Effect.gen(function* () {
          const { pass } = yield* ManualClock
          const { auth, id, sellAgain } = yield* crashed(identifier)
          const waiting = yield* leavesRowsUnchanged(sellAgain(sale(identifier)))
          assert.deepStrictEqual([waiting.status, waiting.body.error.code], [409, "IDEMPOTENT_REQUEST_IN_PROGRESS"])
          assert.deepStrictEqual(waiting.body.error.details, { transaction_id: id })
          yield* pass("59 seconds")
          yield* recover("due")
          assert.strictEqual((yield* get(`/v1/transacciones/${id}`, auth)).body.data.status, "PROCESSING")
          yield* pass("2 seconds")
          yield* recover("due")
          const replay = yield* leavesRowsUnchanged(sellAgain(sale(identifier)))
          assert.deepStrictEqual([replay.status, replay.headers.get("idempotent-replay")], [status, "true"])
          const { data } = (yield* get(`/v1/transacciones/${id}`, auth)).body
          assert.strictEqual(data.status, state)
          if (status === 201) assert.strictEqual(replay.body.data.auth_code, data.auth_code)
        })
    )

    it.effect("is reported as a conflict when the sale has not been recovered after 15 minutes", () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { id, sellAgain } = yield* crashed("8095550043")
        yield* pass("15 minutes")
        assert.strictEqual(
          (yield* leavesRowsUnchanged(sellAgain(sale("8095550043")))).body.error.code,
          "IDEMPOTENT_REQUEST_IN_PROGRESS"
        )
        yield* pass("1 seconds")
        const { body, status } = yield* leavesRowsUnchanged(sellAgain(sale("8095550043")))
        assert.deepStrictEqual([status, body.error.code], [409, "IDEMPOTENCY_CONFLICT"])
        assert.deepStrictEqual(body.error.details, { transaction_id: id, status: "PROCESSING" })
        yield* recover("due")
        assert.strictEqual((yield* leavesRowsUnchanged(sellAgain(sale("8095550043")))).status, 201)
      })
    )
  })

  describe("older than 24 hours", () => {
    it.effect("no longer replays its sale, and rejects every sale under this key", () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { sellAgain } = yield* keyed
        const { body } = yield* sellAgain(sale("8095550003"))
        yield* pass("24 hours")
        assert.strictEqual((yield* leavesRowsUnchanged(sellAgain(sale("8095550003")))).status, 201)
        yield* pass("1 seconds")
        for (const again of [sale("8095550003"), sale("8095550004")]) {
          const refused = yield* leavesRowsUnchanged(sellAgain(again))
          assert.deepStrictEqual([refused.status, refused.body.error.code], [409, "IDEMPOTENCY_CONFLICT"])
          const { transaction_id } = body.data
          assert.deepStrictEqual(refused.body.error.details, { transaction_id, status: "SUCCESS" })
        }
      })
    )

    it.effect("rejects every sale under this key after a FAILED sale, because both sales would have the same xid", () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { sellAgain } = yield* keyed
        const { body } = yield* sellAgain(sale("8095550001"))
        yield* pass("25 hours")
        for (const again of [sale("8095550001"), sale("8095550003")]) {
          const refused = yield* leavesRowsUnchanged(sellAgain(again))
          assert.deepStrictEqual([refused.status, refused.body.error.code], [409, "IDEMPOTENCY_CONFLICT"])
          const { transaction_id } = body.error.details
          assert.deepStrictEqual(refused.body.error.details, { transaction_id, status: "FAILED" })
        }
      })
    )

    it.effect("still replays its sale while the sale is PENDING", () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { sellAgain } = yield* keyed
        yield* sellAgain(sale("8095550012"))
        yield* pass("72 hours")
        const replay = yield* leavesRowsUnchanged(sellAgain(sale("8095550012")))
        assert.deepStrictEqual([replay.status, replay.headers.get("idempotent-replay")], [202, "true"])
      })
    )
  })

  it.effect("sells on a retry, with the same xid, when the first attempt did not reach the provider", () =>
    Effect.gen(function* () {
      const { provider } = yield* Script
      const { auth, sellAgain } = yield* keyed
      provider.set("8095550093", { dispatch: () => Effect.succeed({ _tag: "NotSent" }) })
      assert.strictEqual((yield* sellAgain(sale("8095550093"))).body.error.code, "SERVICE_UNAVAILABLE")
      provider.delete("8095550093")
      const sold = yield* sellAgain(sale("8095550093"))
      assert.deepStrictEqual([sold.status, sold.headers.get("idempotent-replay")], [201, null])
      const { items } = (yield* get("/v1/transacciones", auth)).body.data
      assert.deepStrictEqual(
        items.map(({ status, xid }: Record<string, string>) => [status, xid]),
        ["SUCCESS", "FAILED"].map((status) => [status, sold.body.data.xid])
      )
    })
  )
})
