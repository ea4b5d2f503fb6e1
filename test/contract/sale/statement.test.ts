import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Stream } from "effect"
import type { Entry } from "../../../core/domain/Account.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import { ReceiptRenderer } from "../../../core/ports/Renderers.ts"
import { Statement } from "../../../core/ports/Statement.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { loadSalesHistory } from "../../support/SalesHistory.ts"
import { customer, deposit } from "../../support/service/CustomerCompany.ts"
import { as, call, csvText, get, parseCsv, post, sell } from "../../support/service/HttpCalls.ts"
import { serviceWith } from "../../support/service/InMemoryService.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"

type Headers = Record<string, string>

const paths = ["/v1/movimientos", "/v1/statement"]
const columns = ["movimiento_id", "tipo", "monto", "saldo", "transaction_id", "referencia", "fecha"]

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
const itemsOf = (auth: Headers, query = "", path = "/v1/movimientos"): Effect.Effect<Array<any>, any, any> =>
  Effect.map(get(`${path}?per_page=200&${query}`, auth), ({ body }) => body.data.items)

const sale = { service_id: 7, identifier: "204518", amount: 100.25 }

const rowsOf = (csv: string) => {
  const [head, ...lines] = parseCsv(csv)
  assert.deepStrictEqual(head, columns)
  return lines.map(([movimiento_id, tipo, monto, saldo, transaction_id, referencia, fecha]) => ({
    movimiento_id: Number(movimiento_id),
    tipo,
    monto: Number(monto),
    saldo: Number(saldo),
    transaction_id: transaction_id === "" ? null : Number(transaction_id),
    referencia: csvText(referencia),
    fecha
  }))
}

layer(SpreadTestServer, { excludeTestServices: true })("a statement (contract 4.2)", (it) => {
  it.effect("lists entries newest first, each with the balance after it", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ money: 1_000 })
      const sold = (yield* sell(sale, auth)).body.data
      yield* sell({ ...sale, identifier: "204501" }, auth)
      yield* post(`/v1/transacciones/${sold.transaction_id}/anular`, {}, { ...auth, "idempotency-key": "anular" })
      for (const path of paths) {
        const { body, status } = yield* get(path, auth)
        assert.strictEqual(status, 200)
        const shown = body.data.items.map(({ fecha, movimiento_id, ...rest }: Record<string, unknown>) => {
          assert.match(String(fecha), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
          assert.isAbove(Number(movimiento_id), 0)
          return Object.values(rest)
        })
        assert.deepStrictEqual(shown, [
          ["reversal", 100.25, 1_000, sold.transaction_id, null],
          ["sale", -100.25, 899.75, sold.transaction_id, null],
          ["deposit", 1_000, 1_000, null, "apertura"]
        ])
        assert.deepStrictEqual(Object.keys(body.data.items[0]), columns)
        const hasta_id = body.data.items[0].movimiento_id
        assert.deepStrictEqual(body.data.pagination, { page: 1, per_page: 50, total: 3, total_pages: 1, hasta_id })
      }
      assert.strictEqual((yield* get("/v1/saldo", auth)).body.data.saldo_actual, 1_000)
    })
  )

  it.effect("has in each entry the previous balance plus the amount, and is complete over all pages", () =>
    Effect.gen(function* () {
      const { auth, companyId } = yield* customer()
      yield* Effect.forEach(Array.from({ length: 6 }), () => sell(sale, auth), { concurrency: 6 })
      yield* deposit(companyId, 1, "otro")
      const whole = yield* itemsOf(auth)
      const pages = yield* Effect.forEach([1, 2, 3, 4], (page) =>
        Effect.map(get(`/v1/movimientos?per_page=3&page=${page}`, auth), ({ body }) => body.data)
      )
      assert.deepStrictEqual(
        pages.flatMap(({ items }) => items),
        whole
      )
      const hasta_id = whole[0].movimiento_id
      assert.deepStrictEqual(pages[3].pagination, { page: 4, per_page: 3, total: 8, total_pages: 3, hasta_id })
      let owned = 0
      for (const { monto, saldo } of whole.toReversed()) {
        owned = Math.round(owned * 100 + monto * 100) / 100
        assert.strictEqual(saldo, owned)
      }
      assert.strictEqual((yield* get("/v1/saldo", auth)).body.data.saldo_actual, owned)
    })
  )

  it.effect("can be filtered by a first and a last local day, both inclusive", () =>
    Effect.gen(function* () {
      const { until } = yield* ManualClock
      yield* until("2026-05-01T23:59:59.999-04:00")
      const { auth, companyId } = yield* customer()
      yield* until("2026-05-02T00:00:00-04:00")
      yield* deposit(companyId, 1, "mañana")
      yield* until("2026-05-02T23:59:59-04:00")
      yield* deposit(companyId, 1, "noche")
      yield* until("2026-05-03T00:00:00-04:00")
      yield* deposit(companyId, 1, "después")
      for (const [query, expected] of [
        ["date_from=2026-05-02", ["después", "noche", "mañana"]],
        ["date_to=2026-05-02", ["noche", "mañana", "apertura"]],
        ["date_from=2026-05-02&date_to=2026-05-02", ["noche", "mañana"]],
        ["date_from=2026-05-03&date_to=2026-05-02", []],
        ["date_to=2020-01-01", []]
      ] as const) {
        for (const path of paths) {
          const { body } = yield* get(`${path}?${query}`, auth)
          const { items, pagination } = body.data
          assert.deepStrictEqual(
            items.map(({ referencia }: { referencia: string }) => referencia),
            expected
          )
          assert.deepStrictEqual(
            [pagination.total, pagination.total_pages],
            [expected.length, expected.length > 0 ? 1 : 0]
          )
          const csv = yield* get(`${path}?${query}&formato=csv`, auth)
          assert.deepStrictEqual(rowsOf(csv.text), items)
        }
      }
    })
  )

  it.effect("as CSV has the same rows, and no cell that a spreadsheet reads as a formula", () =>
    Effect.gen(function* () {
      const { auth, companyId } = yield* customer()
      const odd = ['=HYPERLINK("http://x","y")', "+1", "-1", "@a", "'=b", 'coma, y "comillas"', "ñandú €", "a;b"]
      for (const reference of odd) yield* deposit(companyId, 0.5, reference)
      yield* sell(sale, auth)
      const { headers, status, text } = yield* get("/v1/movimientos?formato=csv&page=7&per_page=1", auth)
      assert.deepStrictEqual(
        [status, headers.get("content-type"), headers.get("content-disposition")],
        [200, "text/csv; charset=utf-8", 'attachment; filename="movimientos.csv"']
      )
      assert.match(headers.get("x-request-id") ?? "", /^[\da-f-]{36}$/)
      assert.match(headers.get("x-ratelimit-remaining") ?? "", /^\d+$/)
      assert.deepStrictEqual(rowsOf(text), yield* itemsOf(auth))
      for (const [, , , , , referencia = ""] of parseCsv(text)) assert.notMatch(referencia, /^[=+\-@]/)
      const head = yield* get("/v1/statement?formato=csv", { ...auth, "x-forwarded-for": "192.0.2.1" })
      assert.strictEqual(head.text, text)
    })
  )

  it.effect("as CSV is complete with more than two thousand rows", () =>
    Effect.gen(function* () {
      const { auth, companyId } = yield* customer({ cell: "cell", money: 0 })
      yield* loadSalesHistory({ company: companyId, sales: 2_600, days: 3 })
      const rows = rowsOf((yield* get("/v1/movimientos?formato=csv", auth)).text)
      assert.strictEqual(rows.length, 1 + 2_600 * 0.95)
      const pages = yield* Effect.forEach(
        Array.from({ length: 13 }, (_, index) => index + 1),
        (page) => itemsOf(auth, `page=${page}`)
      )
      assert.deepStrictEqual(rows, pages.flat())
    })
  )

  it.effect("requires the permission to read the balance, and contains only entries of the caller's company", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ token: { permissions: ["transactions.read"] } })
      const empty = yield* customer({ money: 0 })
      for (const path of paths) {
        assert.strictEqual((yield* get(path, auth)).status, 403)
        assert.strictEqual((yield* get(`${path}?formato=csv`, as("nadie"))).status, 401)
        const { body } = yield* get(path, empty.auth)
        assert.deepStrictEqual(body.data, {
          items: [],
          pagination: { page: 1, per_page: 50, total: 0, total_pages: 0, hasta_id: 0 }
        })
        assert.strictEqual((yield* get(`${path}?formato=csv`, empty.auth)).text, `${columns.join(",")}\r\n`)
      }
    })
  )
})

const entry: Entry = {
  id: 1,
  type: "deposit",
  amount: 100,
  balance: Centavos.make(100),
  transactionId: null,
  reference: null,
  createdAt: DateTime.makeUnsafe("2026-01-31T18:05:09Z")
}

const broken = new Error("select * from cell.entry")

/** Days for which `Statement.all` fails: `unreadable` before the first entry, `torn` after the first entry. */
const [unreadable, torn] = ["2026-01-01", "2026-01-02"]

const rowsFrom = (day: string | undefined): Stream.Stream<Entry> => {
  if (day === unreadable) return Stream.die(broken)
  return day === torn ? Stream.concat(Stream.succeed(entry), Stream.die(broken)) : Stream.succeed(entry)
}

/** Ports that fail when a page of entries or a PDF is requested. So a successful response needed neither of them. */
const failingPorts = Layer.merge(
  Layer.succeed(Statement, { page: () => Effect.die(broken), all: (_, { from }) => rowsFrom(from) }),
  Layer.succeed(ReceiptRenderer, { pdf: () => Effect.die(broken) })
)

const topUp = { service_id: 1, identifier: "8095551234", amount: 100 }

const byTrpc = (name: string, input: object) =>
  call(`/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`, { headers: as("todo") })

layer(serviceWith(failingPorts), { excludeTestServices: true })("a file response", (it) => {
  it.effect("of a statement is streamed, without the query for a page of entries", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* get("/v1/movimientos?formato=csv")
      assert.deepStrictEqual([status, headers.get("content-type")], [200, "text/csv; charset=utf-8"])
      assert.strictEqual(headers.get("content-disposition"), 'attachment; filename="movimientos.csv"')
      assert.include(headers.get("access-control-expose-headers"), "Content-Disposition")
      assert.strictEqual(text.split("\r\n")[1], "1,deposit,1,1,,,2026-01-31 14:05:09")
    })
  )

  it.effect("is not sent over tRPC: the response has the fields of the receipt", () =>
    Effect.gen(function* () {
      const { transaction_id } = (yield* sell(topUp)).body.data
      const { body, status } = yield* byTrpc("transacciones.recibo", { id: transaction_id, formato: "pdf" })
      assert.deepStrictEqual([status, body.result.data.transaction_id], [200, transaction_id])
    })
  )

  const receiptPath = Effect.map(
    sell(topUp),
    ({ body }) => `/v1/transacciones/${body.data.transaction_id}/recibo?formato=pdf`
  )
  const unreadablePath = `/v1/movimientos?formato=csv&date_from=${unreadable}`

  it.effect.each([
    ["GET of a receipt", "GET", receiptPath],
    ["GET of a statement", "GET", Effect.succeed(unreadablePath)],
    ["HEAD of a statement", "HEAD", Effect.succeed(unreadablePath)]
  ] as const)("that fails before its first byte is replaced by the error envelope: %s", ([, method, pathOf]) =>
    Effect.gen(function* () {
      const answer = yield* call(yield* pathOf, { method, headers: as("todo") })
      assert.strictEqual(answer.status, 500)
      assert.strictEqual(answer.headers.get("x-ratelimit-limit"), "100000")
      assert.isFalse(answer.headers.has("content-disposition"))
      if (method === "GET") assert.strictEqual(answer.body.error.code, "INTERNAL_ERROR")
    })
  )

  it.effect("to HEAD has the headers of the PDF, without rendering the PDF", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* call(yield* receiptPath, { method: "HEAD", headers: as("todo") })
      assert.deepStrictEqual([status, text, headers.get("content-type")], [200, "", "application/pdf"])
      assert.match(headers.get("content-disposition") ?? "", /^inline; filename="recibo-\d+\.pdf"$/)
      assert.strictEqual(headers.get("x-ratelimit-limit"), "100000")
      assert.isNull(headers.get("content-length"))
    })
  )

  it.effect("to HEAD of a receipt that does not exist has status 404", () =>
    Effect.map(
      call("/v1/transacciones/999999/recibo?formato=pdf", { method: "HEAD", headers: as("todo") }),
      ({ status }) => assert.strictEqual(status, 404)
    )
  )

  it.effect("that fails after its first byte closes the connection, so that the client detects the missing part", () =>
    Effect.gen(function* () {
      const ended = yield* Effect.exit(get(`/v1/movimientos?formato=csv&date_from=${torn}`))
      assert.isTrue(Exit.isFailure(ended))
      assert.match(String(ended), /terminated|other side closed/)
    })
  )
})
