import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { get, parseCsv, sell } from "../../support/service/HttpCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"

type Headers = Record<string, string>

const sales = ["/v1/transacciones", "/v1/transactions"]
const lists = [...sales, "/v1/movimientos", "/v1/statement"]

const sale = { service_id: 8, identifier: "8095550003", amount: 100 }

const sold = (auth: Headers, identifier = sale.identifier, key?: string) =>
  Effect.map(
    sell({ ...sale, identifier }, { ...auth, ...(key !== undefined && { "idempotency-key": key }) }),
    ({ body }) => Number(body.data?.transaction_id ?? body.error.details?.transaction_id)
  )

const found = (auth: Headers, query: string, path = "/v1/transacciones") =>
  Effect.map(get(`${path}?${query}`, auth), ({ body }) => ({
    ids: body.data.items.map(({ transaction_id }: { transaction_id: number }) => transaction_id),
    ...body.data.pagination
  }))

/** Asserts that every list of `paths` rejects the query with these details. */
const rejects = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, query: string, details: object) {
  const { auth } = yield* customer({ money: 0 })
  for (const path of paths) {
    const { body, status } = yield* get(`${path}?${query}`, auth)
    assert.deepStrictEqual([status, body.error.code, body.error.details], [422, "VALIDATION_ERROR", details])
  }
})

layer(SpreadTestServer, { excludeTestServices: true })("lists (contract 4.7)", (it) => {
  describe("reject the query", () => {
    it.effect.each([
      ["page=0", { page: "fuera_de_rango" }],
      ["page=-1", { page: "fuera_de_rango" }],
      ["page=1.5", { page: "invalido" }],
      ["page=abc", { page: "invalido" }],
      ["page=1&page=2", { page: "invalido" }],
      ["page=1000000001", { page: "fuera_de_rango" }],
      ["per_page=0", { per_page: "fuera_de_rango" }],
      ["per_page=201", { per_page: "fuera_de_rango" }],
      ["per_page=abc", { per_page: "invalido" }],
      ["page=", { page: "invalido" }],
      ["per_page=", { per_page: "invalido" }],
      ["date_from=2026-02-30", { date_from: "invalido" }],
      ["date_from=2026-2-3", { date_from: "invalido" }],
      ["date_to=20260203", { date_to: "invalido" }],
      ["date_to=2026-02-03T00:00:00", { date_to: "invalido" }],
      ["date_to=ayer", { date_to: "invalido" }],
      ["hasta_id=-1", { hasta_id: "fuera_de_rango" }],
      ["hasta_id=9007199254740992", { hasta_id: "fuera_de_rango" }],
      ["hasta_id=1.5", { hasta_id: "invalido" }],
      ["hasta_id=1&hasta_id=2", { hasta_id: "invalido" }],
      ["hasta_id=", { hasta_id: "invalido" }],
      ["page=0&per_page=x&date_to=x", { page: "fuera_de_rango", per_page: "invalido", date_to: "invalido" }]
    ] as const)("%s at every list", ([query, details]) => rejects(lists, query, details))

    it.effect.each([
      ["status=success", { status: "invalido" }],
      ["identifier=809%E2%80%AE4321", { identifier: "invalido" }],
      ["xid=RD-1%EF%BB%BF", { xid: "invalido" }],
      ["status=FAILED&status=SUCCESS", { status: "invalido" }],
      ["status=", { status: "invalido" }],
      ["identifier=a%00b", { identifier: "invalido" }],
      ["xid=a%00b", { xid: "invalido" }],
      ["xid=a&xid=b", { xid: "invalido" }],
      ["idempotency_key=a%0ab", { idempotency_key: "invalido" }],
      ["idempotency_key=", { idempotency_key: "longitud" }],
      [`idempotency_key=${"k".repeat(129)}`, { idempotency_key: "longitud" }],
      ["idempotency_key=&status=x", { idempotency_key: "longitud", status: "invalido" }],
      ["service_id=", { service_id: "invalido" }],
      ["service_id=0", { service_id: "invalido" }],
      ["service_id=-1", { service_id: "invalido" }],
      ["service_id=1.0", { service_id: "invalido" }],
      ["service_id=uno", { service_id: "invalido" }],
      ["service_id=9007199254740992", { service_id: "invalido" }],
      ["service_id=1&service_id=2", { service_id: "invalido" }],
      ["terminal_id=a%00b", { terminal_id: "invalido" }],
      [`terminal_id=${"t".repeat(51)}`, { terminal_id: "longitud" }],
      ["terminal_id=a&terminal_id=b", { terminal_id: "invalido" }]
    ] as const)("%s at the list of transactions", ([query, details]) => rejects(sales, query, details))

    it.effect.each(["formato=xml", "formato=CSV", "formato=", "formato=csv&formato=csv"])("%s at every list", (query) =>
      rejects(lists, query, { formato: "invalido" })
    )
  })

  it.effect("without results have zero pages", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const hasta_id = yield* sold(auth)
      const { auth: other } = yield* customer({ money: 0 })
      for (const path of sales) {
        const none = { ids: [], page: 1, per_page: 50, total: 0, total_pages: 0, hasta_id }
        assert.deepStrictEqual(yield* found(other, "", path), { ...none, hasta_id: 0 })
        assert.deepStrictEqual(yield* found(auth, "date_from=2026-12-31&date_to=2026-01-01", path), none)
        assert.deepStrictEqual(yield* found(auth, "status=REVERSED", path), none)
        assert.deepStrictEqual(yield* found(auth, "identifier=8095550009", path), none)
      }
    })
  )

  it.effect("have their rows in pages, newest first, and are empty beyond the last page", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const ids = yield* Effect.forEach([1, 2, 3, 4, 5], () => sold(auth))
      const newest = ids.toReversed()
      assert.include((yield* get("/v1/transacciones?per_page=1", auth)).body.message, "5")
      for (const [query, expected] of [
        ["per_page=2", newest.slice(0, 2)],
        ["per_page=2&page=3", newest.slice(4)],
        ["per_page=2&page=4", []],
        ["per_page=200&page=1000000000", []]
      ] as const) {
        for (const path of sales) {
          const { ids, total } = yield* found(auth, query, path)
          assert.deepStrictEqual({ ids, total }, { ids: expected, total: 5 })
        }
      }
    })
  )

  it.effect("filter by status, identifier and day", () =>
    Effect.gen(function* () {
      const { until } = yield* ManualClock
      const { auth } = yield* customer()
      const failed = yield* sold(auth, "8095550001")
      const pending = yield* sold(auth, "8095550012")
      yield* until("2026-06-02T00:00:00-04:00")
      const success = yield* sold(auth)
      for (const [query, expected] of [
        ["status=FAILED", [failed]],
        ["status=PENDING", [pending]],
        ["status=SUCCESS", [success]],
        ["status=PROCESSING", []],
        ["status=SUCCESS&identifier=8095550001", []],
        ["identifier=8095550001", [failed]],
        ["date_from=2026-06-02", [success]],
        ["date_to=2026-06-01", [pending, failed]],
        ["date_to=2026-06-01&status=FAILED", [failed]],
        ["date_to=2026-06-01&identifier=8095550012", [pending]]
      ] as const) {
        assert.deepStrictEqual((yield* found(auth, query)).ids, expected, query)
      }
    })
  )

  it.effect("filter by service and terminal, with and without other filters", () =>
    Effect.gen(function* () {
      const { until } = yield* ManualClock
      const { auth } = yield* customer({ money: 10_000 })
      const soldAt = (service_id: number, terminal_id: string | null, identifier = "8095550003") =>
        Effect.map(sell({ service_id, identifier, amount: 50, terminal_id }, auth), ({ body }) =>
          Number(body.data?.transaction_id ?? body.error.details.transaction_id)
        )
      yield* until("2026-06-01T12:00:00-04:00")
      const a = yield* soldAt(1, "caja 1")
      const b = yield* soldAt(7, "caja 1")
      const c = yield* soldAt(7, "caja-ñ", "8095550001")
      yield* until("2026-06-02T12:00:00-04:00")
      const d = yield* soldAt(1, "caja 1", "8095550001")
      const e = yield* soldAt(1, "1")
      const f = yield* soldAt(7, "")
      const g = yield* soldAt(1, null)
      for (const [query, expected] of [
        ["service_id=1", [g, e, d, a]],
        ["service_id=7", [f, c, b]],
        ["service_id=2", []],
        ["service_id=9007199254740991", []],
        ["terminal_id=caja%201", [d, b, a]],
        ["terminal_id=caja-%C3%B1", [c]],
        ["terminal_id=1", [e]],
        ["terminal_id=", [f]],
        ["terminal_id=Caja%201", []],
        ["terminal_id=caja", []],
        ["service_id=1&terminal_id=caja%201", [d, a]],
        ["service_id=7&terminal_id=1", []],
        ["service_id=1&status=FAILED", [d]],
        ["service_id=1&status=SUCCESS", [g, e, a]],
        ["terminal_id=caja%201&status=SUCCESS", [b, a]],
        ["service_id=7&status=FAILED&terminal_id=caja-%C3%B1", [c]],
        ["service_id=1&status=PENDING", []],
        ["service_id=1&identifier=8095550001", [d]],
        ["terminal_id=caja%201&identifier=8095550003", [b, a]],
        ["service_id=1&date_to=2026-06-01", [a]],
        ["terminal_id=caja%201&date_from=2026-06-02", [d]],
        [`service_id=1&hasta_id=${e}`, [e, d, a]],
        [`terminal_id=caja%201&hasta_id=${d - 1}`, [b, a]],
        // Unknown parameters are ignored, even if the name resembles a known parameter.
        ["servicio=7&terminal=1&estado=FAILED&service=7", [g, f, e, d, c, b, a]]
      ] as const) {
        for (const path of sales) {
          const { ids, total } = yield* found(auth, query, path)
          assert.deepStrictEqual({ ids, total }, { ids: expected, total: expected.length }, query)
        }
        const [, ...lines] = parseCsv((yield* get(`/v1/transacciones?formato=csv&${query}`, auth)).text)
        assert.deepStrictEqual(
          lines.map(([id]) => Number(id)),
          [...expected]
        )
      }
      assert.deepStrictEqual((yield* found(auth, "service_id=1&per_page=1&page=3")).ids, [d])
    })
  )

  it.effect("find a sale by its key or its xid, with and without other filters", () =>
    Effect.gen(function* () {
      const { provider } = yield* Script
      const [mine, theirs] = [yield* customer(), yield* customer()]
      // Two attempts do not reach the provider; the third is delivered. All three have the same key and therefore the
      // same xid.
      provider.set("8095550077", { dispatch: () => Effect.succeed(DispatchAnswer.NotSent()) })
      yield* sold(mine.auth, "8095550077", "clave ñ")
      yield* sold(mine.auth, "8095550077", "clave ñ")
      provider.clear()
      const id = yield* sold(mine.auth, "8095550077", "clave ñ")
      yield* sold(mine.auth, "8095550077", "otra")
      yield* sold(theirs.auth, "8095550077", "clave ñ")
      const { xid } = (yield* get(`/v1/transacciones/${id}`, mine.auth)).body.data
      const key = `idempotency_key=${encodeURIComponent("clave ñ")}`
      for (const by of [key, `xid=${xid}`, `xid=${xid}&${key}`, `${key}&identifier=8095550077`]) {
        for (const path of sales) {
          const all = yield* found(mine.auth, by, path)
          assert.deepStrictEqual([all.total, all.ids[0]], [3, id])
          assert.deepStrictEqual((yield* found(mine.auth, `${by}&status=SUCCESS`, path)).ids, [id])
          assert.deepStrictEqual((yield* found(mine.auth, `${by}&status=FAILED`, path)).ids, all.ids.slice(1))
          assert.deepStrictEqual((yield* found(mine.auth, `${by}&per_page=1&page=3`, path)).ids, all.ids.slice(2))
          assert.deepStrictEqual((yield* found(mine.auth, `${by}&date_to=2020-01-01`, path)).ids, [])
        }
      }
      for (const by of ["xid=RD-0", `xid=RD-0&${key}`, "idempotency_key=nada", `${key}&identifier=8095550078`]) {
        assert.strictEqual((yield* found(mine.auth, by)).total, 0)
      }
      assert.strictEqual((yield* found(theirs.auth, `xid=${xid}`)).total, 0)
    })
  )
})
