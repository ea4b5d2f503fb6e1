import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createClient } from "../../../facade/client/index.ts"
import { ServiceAddress } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { get, parseCsv, sell } from "../../support/service/HttpCalls.ts"
import { secret } from "../../support/service/InMemoryService.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"
import { subscriber, WebhookServer } from "../../support/service/WebhookCalls.ts"

type Headers = Record<string, string>

const sale = { service_id: 1, identifier: "8095550003", amount: 20 }

/** The path of every paged list, and the name of the id of its rows. */
const lists = [
  ["/v1/transacciones", "transaction_id"],
  ["/v1/transactions", "transaction_id"],
  ["/v1/movimientos", "movimiento_id"],
  ["/v1/statement", "movimiento_id"]
] as const

const sellTimes = (times: number, auth: Headers) =>
  Effect.forEach(
    Array.from({ length: times }),
    () => Effect.map(sell(sale, auth), ({ status }) => assert.strictEqual(status, 201)),
    { discard: true }
  )

interface Listed {
  readonly ids: ReadonlyArray<number>
  readonly hasta_id: number
  readonly total: number
  readonly total_pages: number
}

layer(SpreadTestServer, { excludeTestServices: true })("a paged list (contract 4.7)", (it) => {
  describe.each(lists)("at %s", (path, id) => {
    const read = (auth: Headers, query: string): Effect.Effect<Listed, never, ServiceAddress> =>
      Effect.map(get(`${path}?${query}`, auth), ({ body }) => ({
        ids: body.data.items.map((item: Record<string, number>) => item[id]),
        ...body.data.pagination
      }))

    // These filters also match the sales that are made while the client pages.
    it.effect.each(["", "date_from=2026-03-11", "date_from=2026-03-11&date_to=2026-03-11"])(
      "does not change while sales are made, when the client sends the hasta_id of the first page (filter: %s)",
      (filter) =>
        Effect.gen(function* () {
          const { auth } = yield* customer()
          yield* sellTimes(6, auth)
          const whole = yield* read(auth, filter)
          assert.strictEqual(whole.hasta_id, whole.ids[0])
          let first: Listed | undefined
          const shown: Array<number> = []
          for (const page of [1, 2, 3, 4]) {
            const frozen = first === undefined ? "" : `&hasta_id=${first.hasta_id}`
            const part = yield* read(auth, `per_page=2&page=${page}${frozen}&${filter}`)
            first ??= part
            const { hasta_id, total, total_pages } = part
            assert.deepStrictEqual(
              { hasta_id, total, total_pages },
              { hasta_id: whole.hasta_id, total: whole.total, total_pages: Math.ceil(whole.total / 2) }
            )
            shown.push(...part.ids)
            yield* sellTimes(1, auth)
          }
          assert.deepStrictEqual(shown, whole.ids)
          assert.strictEqual((yield* read(auth, filter)).total, whole.total + 4)
        })
    )

    it.effect("lists and counts only the rows up to hasta_id, for any value of hasta_id", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        yield* sellTimes(4, auth)
        const { ids } = yield* read(auth, "")
        const newest = ids[0] ?? 0
        for (const hasta of [0, 1, ...ids.flatMap((one) => [one - 1, one, one + 1]), Number.MAX_SAFE_INTEGER]) {
          const { hasta_id, ids: listed, total } = yield* read(auth, `hasta_id=${hasta}`)
          const expected = ids.filter((one) => one <= hasta)
          // A hasta_id above the newest row would not freeze the list, so the response has the id of the newest row.
          assert.deepStrictEqual(
            { hasta_id, listed, total },
            { hasta_id: Math.min(hasta, newest), listed: expected, total: expected.length }
          )
          const [, ...lines] = parseCsv((yield* get(`${path}?hasta_id=${hasta}&formato=csv`, auth)).text)
          assert.deepStrictEqual(
            lines.map(([first]) => Number(first)),
            expected
          )
        }
      })
    )

    it.effect("shows no row twice to a client that pages only by hasta_id, without a page number", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        yield* sellTimes(5, auth)
        const { ids } = yield* read(auth, "")
        const shown: Array<number> = []
        for (let part = yield* read(auth, "per_page=2"); part.ids.length > 0; ) {
          shown.push(...part.ids)
          yield* sellTimes(1, auth)
          part = yield* read(auth, `per_page=2&hasta_id=${Number(part.ids.at(-1)) - 1}`)
        }
        assert.deepStrictEqual(shown, ids)
      })
    )

    it.effect("without rows has hasta_id 0, and a request with hasta_id 0 gets an empty list", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer({ money: 0 })
        const empty = yield* read(auth, "")
        assert.deepStrictEqual([empty.hasta_id, empty.total], [0, 0])
        const { auth: other } = yield* customer()
        yield* sellTimes(1, other)
        assert.deepStrictEqual((yield* read(other, "hasta_id=0")).ids, [])
      })
    )
  })

  it.effect("can be frozen by hasta_id together with every filter", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const soldTo = (identifier: string, key: string) =>
        Effect.map(sell({ ...sale, identifier }, { ...auth, "idempotency-key": key }), ({ body }) =>
          Number(body.data?.transaction_id ?? body.error.details.transaction_id)
        )
      const delivered = yield* soldTo("8095550003", "k-1")
      const refused = yield* soldTo("8095550001", "k-2")
      const deliveredLater = yield* soldTo("8095550003", "k-3")
      const refusedLater = yield* soldTo("8095550001", "k-4")
      for (const [filter, within, later] of [
        ["status=SUCCESS", delivered, deliveredLater],
        ["status=FAILED", refused, refusedLater],
        ["identifier=8095550003", delivered, deliveredLater],
        ["identifier=8095550001&status=FAILED", refused, refusedLater]
      ] as const) {
        const at = (hasta: number) =>
          Effect.map(get(`/v1/transacciones?${filter}&hasta_id=${hasta}`, auth), ({ body: { data } }) => [
            data.pagination.total,
            ...data.items.map(({ transaction_id }: { transaction_id: number }) => transaction_id)
          ])
        assert.deepStrictEqual(yield* at(refusedLater), [2, later, within], filter)
        assert.deepStrictEqual(yield* at(refused), [1, within], filter)
        assert.deepStrictEqual(yield* at(delivered - 1), [0], filter)
      }
      for (const [hasta, total] of [
        [delivered, 1],
        [delivered - 1, 0]
      ]) {
        const { body } = yield* get(`/v1/transacciones?idempotency_key=k-1&hasta_id=${hasta}`, auth)
        assert.strictEqual(body.data.pagination.total, total)
      }
    })
  )

  it.effect("can be frozen by hasta_id over tRPC too", () =>
    Effect.gen(function* () {
      const { url } = yield* ServiceAddress
      const { apiKey, auth } = yield* customer()
      const client = createClient({ url, apiKey, apiSecret: secret })
      yield* sellTimes(2, auth)
      const { movimientos, transacciones } = client
      const first = yield* Effect.promise(() => transacciones.listar.query({ per_page: 1 }))
      const firstEntries = yield* Effect.promise(() => movimientos.listar.query({ per_page: 1 }))
      yield* sellTimes(1, auth)
      const frozen = ({ pagination: { hasta_id } }: typeof first | typeof firstEntries) => ({
        per_page: 1,
        page: 2,
        hasta_id
      })
      const second = yield* Effect.promise(() => transacciones.listar.query(frozen(first)))
      assert.deepStrictEqual(second.pagination, { ...first.pagination, page: 2 })
      const secondEntries = yield* Effect.promise(() => movimientos.listar.query(frozen(firstEntries)))
      assert.deepStrictEqual(secondEntries.pagination, { ...firstEntries.pagination, page: 2 })
    })
  )
})

layer(WebhookServer, { excludeTestServices: true })("the deliveries of a webhook (contract 6.3)", (it) => {
  it.effect("do not change while events occur, when the client sends the hasta_id of the first page", () =>
    Effect.gen(function* () {
      const { auth, calls, path } = yield* subscriber()
      yield* sellTimes(3, auth)
      const page = (query: string) =>
        Effect.map(calls("GET", `${path}/entregas?${query}`), ({ body: { data } }) => ({
          ids: data.items.map(({ evento_id }: { evento_id: string }) => evento_id),
          ...data.pagination
        }))
      const whole = yield* page("")
      assert.deepStrictEqual([whole.total, whole.ids[0]], [3, `${whole.ids[0].replace(/\d+$/, whole.hasta_id)}`])
      const first = yield* page("per_page=2")
      yield* sellTimes(1, auth)
      const second = yield* page(`per_page=2&page=2&hasta_id=${first.hasta_id}`)
      assert.deepStrictEqual([...first.ids, ...second.ids], whole.ids)
      assert.deepStrictEqual([second.total, second.total_pages, second.hasta_id], [3, 2, whole.hasta_id])
      assert.strictEqual((yield* page("")).total, 4)
      const pending = yield* page(`estado=pendiente&hasta_id=${whole.hasta_id}`)
      assert.deepStrictEqual(pending.ids, whole.ids)
      // The total is the same on a page beyond the last.
      const beyond = yield* page("page=9")
      assert.deepStrictEqual([beyond.total, beyond.ids], [4, []])
      const refused = yield* calls("GET", `${path}/entregas?hasta_id=x`)
      assert.deepStrictEqual([refused.status, refused.body.error.details], [422, { hasta_id: "invalido" }])
    }).pipe(Effect.scoped)
  )
})
