import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { loadSalesHistory } from "../../support/SalesHistory.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { as, call, csvText, get, getBytes, parseCsv, sell } from "../../support/service/HttpCalls.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"

type Headers = Record<string, string>

const paths = ["/v1/transacciones", "/v1/transactions"]

const columns = [
  ...["transaction_id", "xid", "idempotency_key", "status", "service_id", "servicio", "identifier", "amount"],
  ...["auth_code", "terminal_id", "created_at", "processed_at"]
]

const sale = { service_id: 7, identifier: "204518", amount: 100.25 }

const sold = (auth: Headers, other: object, key?: string) =>
  sell({ ...sale, ...other }, { ...auth, ...(key !== undefined && { "idempotency-key": key }) })

const rowsOf = (csv: string) => {
  const [head, ...lines] = parseCsv(csv)
  assert.deepStrictEqual(head, columns)
  return lines.map((line) => Object.fromEntries(columns.map((column, index) => [column, csvText(line[index])])))
}

/** The rows that the CSV must have for the items of the JSON list, without the column idempotency_key. */
const expectedOf = (items: ReadonlyArray<Record<string, unknown>>) =>
  items.map((item) => {
    const { id: service_id, nombre: servicio } = item["service"] as { id: number; nombre: string }
    const all: Record<string, unknown> = { ...item, service_id, servicio }
    return Object.fromEntries(
      columns
        .filter((column) => column !== "idempotency_key")
        .map((column) => [column, all[column] === null ? null : String(all[column])])
    )
  })

const withoutKeys = (rows: ReturnType<typeof rowsOf>) => rows.map(({ idempotency_key: _, ...row }) => row)

layer(SpreadTestServer, { excludeTestServices: true })("the transactions as CSV (contract 4.7)", (it) => {
  it.effect("have the columns of the contract, including the idempotency keys", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const { data } = (yield* sold(auth, { terminal_id: "caja-1" }, "k-1")).body
      const { details } = (yield* sold(auth, { identifier: "204511", amount: 50 }, "k-2")).body.error
      for (const path of paths) {
        const { headers, status, text } = yield* get(`${path}?formato=csv&page=7&per_page=1`, auth)
        assert.deepStrictEqual(
          [status, headers.get("content-type"), headers.get("content-disposition")],
          [200, "text/csv; charset=utf-8", 'attachment; filename="transacciones.csv"']
        )
        const local = "2026-03-11 10:00:00"
        const { nombre } = data.service
        assert.deepStrictEqual(parseCsv(text), [
          columns,
          [
            ...[`${details.transaction_id}`, details.xid, "k-2", "FAILED", "7", nombre, "204511", "50"],
            ...["", "", local, local]
          ],
          [
            ...[`${data.transaction_id}`, data.xid, "k-1", "SUCCESS", "7", nombre, "204518", "100.25"],
            ...[data.auth_code, "caja-1", local, local]
          ]
        ])
      }
    })
  )

  it.effect("are the same rows as in the JSON list, under every filter", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ money: 10_000 })
      const { xid } = (yield* sold(auth, {}, "k-1")).body.data
      yield* sold(auth, { identifier: "204511" })
      yield* sold(auth, { identifier: "204512" })
      yield* sold(auth, { service_id: 1, identifier: "8095550003" })
      const { hasta_id } = (yield* get("/v1/transacciones", auth)).body.data.pagination
      for (const query of [
        "",
        "status=FAILED",
        "status=PENDING",
        "status=PROCESSING",
        "identifier=204518",
        `xid=${xid}`,
        "idempotency_key=k-1",
        "idempotency_key=k-1&status=FAILED",
        "date_from=2026-03-11&date_to=2026-03-11",
        "date_to=2026-03-10",
        `hasta_id=${hasta_id - 1}`,
        `hasta_id=${hasta_id - 1}&status=SUCCESS`
      ]) {
        const { items } = (yield* get(`/v1/transacciones?${query}`, auth)).body.data
        const { text } = yield* get(`/v1/transacciones?${query}&formato=csv`, auth)
        assert.deepStrictEqual(withoutKeys(rowsOf(text)), expectedOf(items), query)
      }
    })
  )

  it.effect("begin with a byte order mark, as the statement does, even in an empty file", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      yield* sold(auth, { terminal_id: "caja ñandú" })
      const empty = yield* customer({ money: 0 })
      for (const path of [...paths, "/v1/movimientos", "/v1/statement"]) {
        for (const headers of [auth, empty.auth]) {
          const bytes = yield* getBytes(`${path}?formato=csv`, headers)
          assert.deepStrictEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
          assert.notInclude(bytes.subarray(3).toString(), "\uFEFF")
        }
      }
    })
  )

  it.effect("have no cell that a spreadsheet reads as a formula", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ money: 10_000 })
      const odd = ['=HYPERLINK("http://x","y")', "+1", "-1", "@a", "'=b", 'coma, y "comillas"', "ñandú"]
      for (const text of odd) yield* sold(auth, { identifier: `${text}-0`, terminal_id: text }, text)
      const { text } = yield* get("/v1/transacciones?formato=csv", auth)
      const newest = odd.toReversed()
      assert.deepStrictEqual(
        rowsOf(text).map(({ idempotency_key, identifier, terminal_id }) => [identifier, terminal_id, idempotency_key]),
        newest.map((one) => [`${one}-0`, one, one])
      )
      for (const cells of parseCsv(text)) for (const cell of cells) assert.notMatch(cell, /^[=+\-@]/)
    })
  )

  it.effect("are complete for 2,600 sales, with and without a filter by status", () =>
    Effect.gen(function* () {
      const { auth, companyId } = yield* customer({ money: 0 })
      yield* loadSalesHistory({ company: companyId, sales: 2_600, days: 3 })
      for (const [query, total] of [
        ["", 2_600],
        ["status=SUCCESS", 2_600 * 0.95],
        ["status=FAILED", 2_600 * 0.02]
      ] as const) {
        const rows = rowsOf((yield* get(`/v1/transacciones?formato=csv&${query}`, auth)).text)
        assert.strictEqual(rows.length, total)
        const pages = yield* Effect.forEach(
          Array.from({ length: 13 }, (_, index) => index + 1),
          (page) =>
            Effect.map(get(`/v1/transacciones?per_page=200&page=${page}&${query}`, auth), ({ body }) => body.data.items)
        )
        assert.deepStrictEqual(withoutKeys(rows), expectedOf(pages.flat()))
      }
    })
  )

  it.effect("have the headers of GET and no body when requested with HEAD", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      yield* sold(auth, {})
      const head = yield* call("/v1/transacciones?formato=csv", { method: "HEAD", headers: auth })
      assert.deepStrictEqual(
        [head.status, head.headers.get("content-type"), head.text],
        [200, "text/csv; charset=utf-8", ""]
      )
      assert.strictEqual(head.headers.get("content-disposition"), 'attachment; filename="transacciones.csv"')
    })
  )

  it.effect("require the permission to read transactions, and contain only the caller's company", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ token: { permissions: ["balance.read"] } })
      const [mine, theirs] = [yield* customer(), yield* customer()]
      yield* sold(mine.auth, {})
      for (const path of paths) {
        assert.strictEqual((yield* get(`${path}?formato=csv`, auth)).status, 403)
        assert.strictEqual((yield* get(`${path}?formato=csv`, as("nadie"))).status, 401)
        assert.deepStrictEqual(rowsOf((yield* get(`${path}?formato=csv`, theirs.auth)).text), [])
      }
    })
  )

  it.effect("with an invalid filter are answered with an error in the envelope", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const { body, status } = yield* get("/v1/transacciones?formato=csv&status=ok", auth)
      assert.deepStrictEqual([status, body.error.details], [422, { status: "invalido" }])
    })
  )
})
