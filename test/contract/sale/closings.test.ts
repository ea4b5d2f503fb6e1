import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { closeDue, closeThrough } from "../../../core/workflows/CloseDays.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { readPdf } from "../../support/PdfReader.ts"
import { customer, deposit } from "../../support/service/CustomerCompany.ts"
import { call, csvText, get, getBytes, parseCsv, post, sell } from "../../support/service/HttpCalls.ts"
import { operatorCommands, SpreadTestServer } from "../../support/service/TestServer.ts"

type Headers = Record<string, string>

const sale = { service_id: 7, identifier: "204518", amount: 100.25 }
const day = "2026-03-11"
const nextDay = "2026-03-12"

/**
 * A company with a deposit, a delivered, a refused and a pending sale on one day. On the next day the delivered sale is
 * reversed. Both days are closed.
 */
const closedCompany = Effect.gen(function* () {
  const { until } = yield* ManualClock
  yield* until(`${day}T10:00:00-04:00`)
  const { auth, companyId } = yield* customer({ money: 1_000 })
  const sold = (yield* sell(sale, auth)).body.data
  yield* sell({ ...sale, identifier: "204511" }, auth)
  yield* sell({ ...sale, identifier: "204512", amount: 50 }, auth)
  yield* until(`${nextDay}T10:00:00-04:00`)
  yield* post(`/v1/transacciones/${sold.transaction_id}/anular`, {}, { ...auth, "idempotency-key": "anular" })
  yield* deposit(companyId, 500, "otro")
  yield* until("2026-03-13T10:00:00-04:00")
  yield* closeThrough(nextDay, { only: companyId })
  return { auth, companyId, sold }
})

const closingOf = (auth: Headers, day: string, query = "") => get(`/v1/cierres/${day}${query}`, auth)

const none = { cantidad: 0, monto: 0 }
const one = (monto: number) => ({ cantidad: 1, monto })

layer(SpreadTestServer, { excludeTestServices: true })("a daily closing (contract 4.8)", (it) => {
  it.effect("adds up, carries the pending sale, and names the day of a sale that was reversed later", () =>
    Effect.gen(function* () {
      const { auth, sold } = yield* closedCompany
      const { body, status } = yield* closingOf(auth, day)
      assert.strictEqual(status, 200)
      const { cerrado_en, sello, servicios, ...first } = body.data
      assert.match(cerrado_en, /^2026-03-13 /)
      assert.match(sello, /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(first, {
        dia: day,
        saldo_inicial: 0,
        depositos: one(1_000),
        ventas: one(100.25),
        anulaciones: none,
        ajustes: none,
        saldo_final: 899.75,
        retenido_inicial: none,
        retenido_final: one(50),
        anulaciones_anteriores: [],
        sello_anterior: null
      })
      const name = servicios[0].servicio
      assert.deepStrictEqual(servicios, [
        { servicio_id: 7, servicio: name, estado: "SUCCESS", ...one(100.25) },
        { servicio_id: 7, servicio: name, estado: "FAILED", ...one(100.25) },
        { servicio_id: 7, servicio: name, estado: "PENDING", ...one(50) }
      ])
      const { data: second } = (yield* closingOf(auth, nextDay)).body
      assert.deepInclude(second, {
        saldo_inicial: 899.75,
        depositos: one(500),
        ventas: none,
        anulaciones: one(100.25),
        saldo_final: 1_500,
        retenido_inicial: one(50),
        retenido_final: one(50),
        sello_anterior: sello,
        anulaciones_anteriores: [{ transaction_id: sold.transaction_id, dia_venta: day, monto: 100.25 }]
      })
    })
  )

  it.effect("has exactly the entries of the statement of its day", () =>
    Effect.gen(function* () {
      const { auth } = yield* closedCompany
      for (const dia of [day, nextDay]) {
        const { data } = (yield* closingOf(auth, dia)).body
        const { body } = yield* get(`/v1/movimientos?date_from=${dia}&date_to=${dia}`, auth)
        const sum = body.data.items.reduce((total: number, { monto }: { monto: number }) => total + monto, 0)
        assert.closeTo(data.saldo_final - data.saldo_inicial, sum, 0.001)
        assert.strictEqual(body.data.items[0].saldo, data.saldo_final)
      }
    })
  )

  it.effect("has the same figures as JSON, CSV, PDF, by tRPC and on the command line", () =>
    Effect.gen(function* () {
      const { auth, companyId } = yield* closedCompany
      const { data } = (yield* closingOf(auth, nextDay)).body

      const [head = [], ...rows] = parseCsv((yield* closingOf(auth, nextDay, "?formato=csv")).text)
      const columnOf = (name: string, row: ReadonlyArray<string>) => csvText(row[head.indexOf(name)])
      const figures = rows.map((row) => [
        columnOf("concepto", row),
        columnOf("estado", row),
        columnOf("cantidad", row),
        Number(columnOf("monto", row))
      ])
      const counted = (concept: string) => [concept, null, String(data[concept].cantidad), data[concept].monto]
      assert.deepStrictEqual(figures, [
        ["saldo_inicial", null, null, data.saldo_inicial],
        ...["depositos", "ventas", "anulaciones", "ajustes"].map(counted),
        ["saldo_final", null, null, data.saldo_final],
        ...["retenido_inicial", "retenido_final"].map(counted),
        ...data.servicios.map(({ cantidad, estado, monto }: Record<string, unknown>) => [
          "servicio",
          estado,
          String(cantidad),
          monto
        ]),
        ["anulacion_anterior", null, null, 100.25]
      ])
      assert.isTrue(rows.every((row) => columnOf("sello", row) === data.sello && columnOf("dia", row) === nextDay))

      const pdf = readPdf(yield* getBytes(`/v1/cierres/${nextDay}?formato=pdf`, auth))
      const printed = pdf.lines.map(({ text }) => text)
      for (const text of [
        `Cierre del día ${nextDay}`,
        "899.75",
        "1,500.00",
        "100.25",
        "500.00",
        `Sello: ${data.sello}`
      ])
        assert.include(printed, text)

      const input = encodeURIComponent(JSON.stringify({ dia: nextDay }))
      const trpc = yield* call(`/trpc/cierres.ver?input=${input}`, { headers: auth })
      assert.deepStrictEqual(trpc.body.result.data, data)

      const { answer, run } = yield* operatorCommands
      const { items } = yield* answer("close", nextDay, "--empresa", String(companyId))
      assert.deepStrictEqual(items, [{ empresa_id: companyId, ...data }])
      const words = yield* run("close", nextDay, "--empresa", String(companyId))
      for (const text of [data.sello, "899.75", "anulacion_anterior"]) assert.include(words.stdout, text)
      const verified = yield* answer("close", "--verify")
      assert.deepInclude(verified, { ok: true, rotos: [] })
    })
  )

  it.effect("is listed newest first, with a filter by day and with pages, as JSON, CSV and PDF", () =>
    Effect.gen(function* () {
      const { auth } = yield* closedCompany
      const listed = (query: string) =>
        Effect.map(get(`/v1/cierres?${query}`, auth), ({ body }) => [
          body.data.items.map(({ dia }: { dia: string }) => dia),
          body.data.pagination.total
        ])
      assert.deepStrictEqual(yield* listed(""), [[nextDay, day], 2])
      assert.deepStrictEqual(yield* listed("per_page=1&page=2"), [[day], 2])
      assert.deepStrictEqual(yield* listed(`date_to=${day}`), [[day], 1])
      assert.deepStrictEqual(yield* listed("date_from=2026-03-13"), [[], 0])
      const alias = yield* get("/v1/closings", auth)
      assert.deepStrictEqual(alias.body.data, (yield* get("/v1/cierres", auth)).body.data)
      const [, ...rows] = parseCsv((yield* get("/v1/cierres?formato=csv", auth)).text)
      assert.deepStrictEqual([...new Set(rows.map(([dia]) => dia))], [nextDay, day])
      const pdf = readPdf(yield* getBytes("/v1/cierres?formato=pdf", auth))
      assert.includeMembers(
        pdf.lines.map(({ text }) => text),
        ["Cierres diarios", day, nextDay, "899.75", "1,500.00"]
      )
    })
  )

  // A path, the permissions of the token (an empty list grants every permission), and the response.
  it.effect.each([
    ["/v1/cierres/2026-03-13", [], 404, "NOT_FOUND"],
    ["/v1/cierres/2026-02-30", [], 404, "NOT_FOUND"],
    ["/v1/cierres/hoy", [], 404, "NOT_FOUND"],
    ["/v1/cierres/2026-03-11?formato=xlsx", [], 422, "VALIDATION_ERROR"],
    ["/v1/cierres?date_from=ayer", [], 422, "VALIDATION_ERROR"],
    ["/v1/cierres", ["account.read"], 403, "FORBIDDEN"],
    ["/v1/cierres/2026-03-11", ["account.read"], 403, "FORBIDDEN"]
  ] as const)("requested at %s by a token with the permissions %j gets %i %s", ([path, permissions, status, code]) =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ token: { permissions } })
      const answer = yield* get(path, auth)
      assert.deepStrictEqual([answer.status, answer.body.error.code], [status, code])
    })
  )

  it.effect("of another company gets 404", () =>
    Effect.gen(function* () {
      yield* closedCompany
      const { auth } = yield* customer()
      assert.strictEqual((yield* closingOf(auth, day)).status, 404)
      assert.deepStrictEqual((yield* get("/v1/cierres", auth)).body.data.items, [])
    })
  )

  it.effect("is made ten minutes after midnight, and days that were missed are closed later", () =>
    Effect.gen(function* () {
      const { pass, until } = yield* ManualClock
      yield* until("2026-03-20T12:00:00-04:00")
      const { auth } = yield* customer()
      const days = Effect.map(get("/v1/cierres", auth), ({ body }) =>
        body.data.items.map(({ dia }: { dia: string }) => dia)
      )
      yield* until("2026-03-21T00:09:59-04:00")
      yield* closeDue()
      assert.deepStrictEqual(yield* days, [])
      yield* pass(Duration.seconds(1))
      yield* closeDue()
      assert.deepStrictEqual(yield* days, ["2026-03-20"])
      yield* until("2026-03-24T08:00:00-04:00")
      assert.isTrue(yield* closeDue())
      assert.deepStrictEqual(yield* days, ["2026-03-23", "2026-03-22", "2026-03-21", "2026-03-20"])
    })
  )

  it.effect("is refused on the command line while the day is not over", () =>
    Effect.gen(function* () {
      const { refusal } = yield* operatorCommands
      const { code, exit } = yield* refusal("close", "9999-01-01")
      assert.deepStrictEqual([exit, code], [1, "DAY_NOT_OVER"])
    })
  )
})
