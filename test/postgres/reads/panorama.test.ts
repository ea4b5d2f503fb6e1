import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import * as PanoramaPostgres from "../../../adapters/postgres/reads/PanoramaPostgres.ts"
import type { Environment } from "../../../core/domain/Company.ts"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import type { LastAudit } from "../../../core/domain/Panorama.ts"
import { Audit } from "../../../core/ports/Audit.ts"
import { PanoramaReads } from "../../../core/ports/PanoramaReads.ts"
import { Panoramas } from "../../../core/workflows/ReadPanorama.ts"
import { panoramaView } from "../../../facade/api/PanoramaView.ts"
import { TestDatabase } from "../../support/Database.ts"

const TestLayer = Layer.mergeAll(PanoramaPostgres.layer, AuditPostgres.layer).pipe(Layer.provideMerge(TestDatabase))

const run = (statement: string) => PgClient.PgClient.use((sql) => sql.unsafe(statement).unprepared)

const at = (text: string) => DateTime.makeUnsafe(text)

type Sale = readonly [createdAt: string, status: string, service: number, centavos: number, seconds?: number]

/** Writes sales directly into the table. A settled sale is settled after 1 s, or after the given time. */
const sell = (sales: ReadonlyArray<Sale>, environment: Environment = "production", type = "mobile_recharge") =>
  Effect.forEach(sales, ([createdAt, status, service, centavos, seconds = 1]) =>
    run(`
      insert into cell.transaction (
        company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier,
        amount, reversible, day, created_at, processed_at, auth_code
      )
      select 1, id, 'x-' || id, 'k-' || id, '${status}', '${environment}', ${service}, 'Servicio ${service}', '${type}', 'iii',
        ${centavos}, true, '2026-03-10', '${createdAt}',
        case when '${status}' not in ('PROCESSING', 'PENDING') then timestamptz '${createdAt}' + interval '${seconds} s' end,
        case when '${status}' in ('SUCCESS', 'REVERSED') then 'A' end
      from nextval('cell.transaction_id') as id`)
  )

const addCompany = (name: string, environment: Environment, available = 0, alert = 0, state = "activa") =>
  Effect.andThen(
    run(`
      insert into directory.company (legal_name, code, environment, state, created_at)
      values ('${name}', '${name}', '${environment}', '${state}', 'epoch')`),
    run(`
      insert into cell.balance (company_id, available, low_balance_alert, updated_at)
      select id, ${available}, ${alert}, 'epoch' from directory.company where code = '${name}'`)
  )

// The local day of 10 March 2026 lasts from 04:00 UTC to 04:00 UTC.
const march10 = { since: at("2026-03-10T04:00:00Z"), until: at("2026-03-11T04:00:00Z") }

layer(TestLayer)("the sales of a day", (it) => {
  it.effect("are grouped by local hour and service, without other days and environments", () =>
    Effect.gen(function* () {
      yield* sell([
        ["2026-03-10T03:59:59.999Z", "SUCCESS", 1, 1],
        ["2026-03-10T04:00:00Z", "SUCCESS", 1, 1_000],
        ["2026-03-10T04:59:59.999Z", "SUCCESS", 1, 2_000],
        ["2026-03-10T04:30:00Z", "SUCCESS", 2, 500],
        ["2026-03-10T05:00:00Z", "FAILED", 1, 700],
        ["2026-03-10T05:10:00Z", "REVERSED", 1, 900],
        ["2026-03-10T05:20:00Z", "PENDING", 1, 800],
        ["2026-03-10T05:20:00Z", "PROCESSING", 1, 800],
        ["2026-03-11T03:59:59.999Z", "SUCCESS", 1, 300],
        ["2026-03-11T04:00:00Z", "SUCCESS", 1, 1]
      ])
      yield* sell([["2026-03-10T05:00:00Z", "SUCCESS", 1, 60]], "development")
      const { sales } = yield* PanoramaReads
      const none = { sold: 0, amount: 0, failed: 0, reversed: 0, unresolved: 0 }
      const [service1, service2] = [1, 2].map((id) => ({ id, name: `Servicio ${id}` }))
      assert.deepStrictEqual<unknown>(yield* sales("production", march10), [
        { ...none, hour: 0, service: service1, sold: 2, amount: 3_000 },
        { ...none, hour: 0, service: service2, sold: 1, amount: 500 },
        { ...none, hour: 1, service: service1, failed: 1, reversed: 1, unresolved: 2 },
        { ...none, hour: 23, service: service1, sold: 1, amount: 300 }
      ])
      assert.deepStrictEqual<unknown>(yield* sales("development", march10), [
        { ...none, hour: 1, service: service1, sold: 1, amount: 60 }
      ])
      assert.deepStrictEqual(
        yield* sales("production", { since: at("2026-03-20T04:00:00Z"), until: at("2026-03-21T04:00:00Z") }),
        []
      )
    })
  )
})

layer(TestLayer)("the results of suppliers", (it) => {
  it.effect("count settled sales and their durations, for each supplier and each of its services", () =>
    Effect.gen(function* () {
      // Service 1: 20 sales of 1 to 20 s, the last one failed. Service 2: one sale of 60 s, reversed later.
      yield* sell(
        Array.from({ length: 20 }, (_, n): Sale => {
          return ["2026-03-10T15:00:00Z", n === 19 ? "FAILED" : "SUCCESS", 1, 100, n + 1]
        })
      )
      yield* sell([
        ["2026-03-10T15:00:00Z", "REVERSED", 2, 100, 60],
        ["2026-03-10T15:00:00Z", "PENDING", 2, 100],
        ["2026-03-11T15:00:00Z", "FAILED", 2, 100]
      ])
      yield* sell([["2026-03-10T15:00:00Z", "SUCCESS", 3, 100, 0.25]], "production", "insurance")
      const { suppliers } = yield* PanoramaReads
      const service = (id: number) => ({ id, name: `Servicio ${id}` })
      assert.deepStrictEqual<unknown>(yield* suppliers("production", march10), [
        { supplier: "provider", service: null, delivered: 20, failed: 1, median_ms: 11_000, p95_ms: 20_000 },
        { supplier: "provider", service: service(1), delivered: 19, failed: 1, median_ms: 10_000, p95_ms: 19_000 },
        { supplier: "provider", service: service(2), delivered: 1, failed: 0, median_ms: 60_000, p95_ms: 60_000 },
        { supplier: "insurer", service: null, delivered: 1, failed: 0, median_ms: 250, p95_ms: 250 },
        { supplier: "insurer", service: service(3), delivered: 1, failed: 0, median_ms: 250, p95_ms: 250 }
      ])
      assert.deepStrictEqual(yield* suppliers("development", march10), [])
    })
  )
})

const now = at("2026-03-10T16:00:00Z")

const reverse = (about: string, createdAt: string) =>
  run(`
    insert into cell.reversal (company_id, id, transaction_id, xid, idempotency_key, status, created_at, ask_at)
    select company_id, nextval('cell.reversal_id'), id, xid || 'R', 'r', 'PENDING', '${createdAt}', '${createdAt}'
    from cell.transaction where status = '${about}'`)

layer(TestLayer)("open matters", (it) => {
  it.effect("are empty in a new installation", () =>
    Effect.gen(function* () {
      const { open } = yield* PanoramaReads
      assert.deepStrictEqual<unknown>(yield* open("production", now), {
        oldestDelivery: null,
        held: {
          bands: [0, 60, 600, 3_600, 86_400].map((from_s) => ({ from_s, sales: 0, held: 0 })),
          reversals: 0,
          oldest: null
        },
        lowBalances: { total: 0, items: [] },
        webhooks: { total: 0, items: [] }
      })
    })
  )

  it.effect("show held money by age, and the oldest unresolved sale or reversal", () =>
    Effect.gen(function* () {
      yield* sell([
        // A sale of a process whose clock is ahead.
        ["2026-03-10T16:00:01Z", "PROCESSING", 1, 1],
        ["2026-03-10T15:59:00.001Z", "PROCESSING", 1, 10],
        ["2026-03-10T15:59:00Z", "PENDING", 1, 100],
        ["2026-03-10T15:50:00Z", "PENDING", 1, 1_000],
        ["2026-03-10T15:00:00Z", "PENDING", 1, 10_000],
        ["2026-03-09T16:00:01Z", "PENDING", 1, 20_000],
        ["2026-03-09T16:00:00Z", "PENDING", 1, 100_000],
        ["2026-01-01T16:00:00Z", "SUCCESS", 1, 5]
      ])
      yield* sell([["2026-01-01T16:00:00Z", "PENDING", 1, 7]], "development")
      const { open } = yield* PanoramaReads
      const { held } = yield* open("production", now)
      assert.deepStrictEqual<unknown>(held.bands, [
        { from_s: 0, sales: 2, held: 11 },
        { from_s: 60, sales: 1, held: 100 },
        { from_s: 600, sales: 1, held: 1_000 },
        { from_s: 3_600, sales: 2, held: 30_000 },
        { from_s: 86_400, sales: 1, held: 100_000 }
      ])
      assert.strictEqual(held.reversals, 0)
      assert.strictEqual(held.oldest?.about, "sale")
      assert.deepStrictEqual(held.oldest?.since, at("2026-03-09T16:00:00Z"))
      yield* reverse("SUCCESS", "2026-03-08T10:00:00Z")
      const later = yield* open("production", now)
      assert.strictEqual(later.held.reversals, 1)
      assert.strictEqual(later.held.oldest?.about, "reversal")
      assert.deepStrictEqual(later.held.oldest?.since, at("2026-03-08T10:00:00Z"))
      const { held: simulated } = yield* open("development", now)
      assert.deepStrictEqual<unknown>(simulated.bands.at(-1), { from_s: 86_400, sales: 1, held: 7 })
      assert.strictEqual(simulated.reversals, 0)
    })
  )

  it.effect("list active companies below their alert value, the largest gap first", () =>
    Effect.gen(function* () {
      yield* addCompany("Enough", "production", 500, 500)
      yield* addCompany("Little", "production", 400, 500)
      yield* addCompany("Nothing", "production", 0, 1_000)
      yield* addCompany("Suspended", "production", 0, 1_000, "suspendida")
      yield* addCompany("Trial", "development", 0, 1_000)
      const { open } = yield* PanoramaReads
      const { lowBalances } = yield* open("production", now)
      assert.strictEqual(lowBalances.total, 2)
      assert.deepStrictEqual<unknown>(
        lowBalances.items.map(({ alert, available, name }) => [name, available, alert]),
        [
          ["Nothing", 0, 1_000],
          ["Little", 400, 500]
        ]
      )
    })
  )

  it.effect("list failing and disabled webhooks with their oldest waiting delivery", () =>
    Effect.gen(function* () {
      const [company] = yield* run("select id from directory.company where code = 'Enough'")
      const id = Number((company as { readonly id: bigint } | undefined)?.id)
      const webhook = (webhookId: number, state: string, failingSince: string | null) =>
        run(`
          insert into cell.webhook (company_id, id, url, event_types, description, state, secret, failing_since, created_at)
          values (${id}, ${webhookId}, 'https://a.example/${webhookId}', '{}', '', '${state}', '',
            ${failingSince === null ? "null" : `'${failingSince}'`}, 'epoch')`)
      const delivery = (webhookId: number, state: string, dueAt: string) =>
        run(`
          insert into cell.delivery (company_id, webhook_id, sequence, state, due_at, created_at)
          select ${id}, ${webhookId}, count(*), '${state}', '${dueAt}', 'epoch' from cell.delivery`)
      yield* webhook(1, "activo", null)
      yield* webhook(2, "activo", "2026-03-10T15:00:00Z")
      yield* webhook(3, "activo", "2026-03-10T14:00:00Z")
      yield* webhook(4, "desactivado", null)
      yield* webhook(5, "pausado", "2026-03-10T14:00:00Z")
      yield* delivery(1, "pendiente", "2026-03-10T15:59:00Z")
      yield* delivery(1, "entregada", "2026-03-10T01:00:00Z")
      yield* delivery(2, "pendiente", "2026-03-10T17:00:00Z")
      yield* delivery(4, "pendiente", "2026-03-10T11:00:00Z")
      const { open } = yield* PanoramaReads
      const { oldestDelivery, webhooks } = yield* open("production", now)
      assert.strictEqual(webhooks.total, 3)
      assert.deepStrictEqual(
        webhooks.items.map((each) => [each.webhookId, each.disabled, each.failingSince, each.oldestDue]),
        [
          [3, false, at("2026-03-10T14:00:00Z"), null],
          [2, false, at("2026-03-10T15:00:00Z"), at("2026-03-10T17:00:00Z")],
          [4, true, null, at("2026-03-10T11:00:00Z")]
        ]
      )
      assert.deepStrictEqual(oldestDelivery, at("2026-03-10T15:59:00Z"))
    })
  )
})

layer(TestLayer)("the last audit", (it) => {
  const ended = (time: string, violations: number): LastAudit => ({
    endedAt: at(time),
    duration_ms: 1_500,
    violated: violations === 0 ? [] : [{ invariant: "held", violations }]
  })

  it.effect("is kept in the database, and an audit that ended earlier does not replace it", () =>
    Effect.gen(function* () {
      const { last, record } = yield* Audit
      assert.isNull(yield* last)
      yield* record(ended("2026-03-10T10:00:00Z", 3))
      yield* record(ended("2026-03-10T09:00:00Z", 0))
      assert.deepStrictEqual(yield* last, ended("2026-03-10T10:00:00Z", 3))
      yield* record(ended("2026-03-10T11:00:00Z", 0))
      assert.deepStrictEqual(yield* last, ended("2026-03-10T11:00:00Z", 0))
    })
  )
})

layer(TestLayer)("the panorama", (it) => {
  it.effect("compares today with the same weekday a week before, until the same time", () =>
    Effect.gen(function* () {
      yield* addCompany("Tienda", "production")
      yield* sell([
        // 3 March, the same weekday: before, at and after 12:30 local time, and the last hour of the day before.
        ["2026-03-03T03:59:59Z", "SUCCESS", 1, 1],
        ["2026-03-03T10:00:00Z", "SUCCESS", 1, 1_000],
        ["2026-03-03T16:29:59.999Z", "SUCCESS", 1, 2_000],
        ["2026-03-03T16:30:00Z", "SUCCESS", 1, 4_000],
        ["2026-03-03T22:00:00Z", "SUCCESS", 2, 8_000],
        // 10 March.
        ["2026-03-10T03:59:59Z", "SUCCESS", 1, 1],
        ["2026-03-10T04:00:00Z", "SUCCESS", 2, 300],
        ["2026-03-10T16:29:00Z", "SUCCESS", 1, 200],
        ["2026-03-10T16:29:30Z", "PENDING", 1, 700]
      ])
      yield* TestClock.setTime(DateTime.toEpochMillis(at("2026-03-10T16:30:00Z")))
      const view = panoramaView(yield* (yield* Panoramas).read(undefined), formatLocal)
      assert.strictEqual(view.ambiente, "production")
      assert.strictEqual(view.fecha, "2026-03-10 12:30:00")
      const none = { ventas: 0, monto: 0, fallidas: 0, anuladas: 0, sin_resolver: 0 }
      assert.strictEqual(view.hoy.dia, "2026-03-10")
      assert.deepStrictEqual(view.hoy.total, { ...none, ventas: 2, monto: 5, sin_resolver: 1 })
      assert.strictEqual(view.hace_una_semana.dia, "2026-03-03")
      assert.deepStrictEqual(view.hace_una_semana.total, { ...none, ventas: 4, monto: 150 })
      assert.deepStrictEqual(view.hace_una_semana_hasta_esta_hora, { ...none, ventas: 2, monto: 30 })
      assert.deepStrictEqual(
        view.hoy.horas.flatMap(({ hora, monto }) => (monto === 0 ? [] : [[hora, monto]])),
        [
          [0, 3],
          [12, 2]
        ]
      )
      assert.deepStrictEqual(
        view.servicios.map(({ hace_una_semana, hoy, servicio }) => [servicio, hoy.monto, hace_una_semana.monto]),
        [
          ["Servicio 2", 3, 0],
          ["Servicio 1", 2, 30]
        ]
      )
      assert.strictEqual(view.retenido.total, 7)
      assert.deepStrictEqual(view.suplidores.ultima_hora[0]?.exito, 1)
    }).pipe(Effect.provide(Layer.provideMerge(Panoramas.layer, TestClock.layer())))
  )
})
