import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { LastAudit } from "../../../core/domain/Panorama.ts"
import { Audit } from "../../../core/ports/Audit.ts"
import { PanoramaReads } from "../../../core/ports/PanoramaReads.ts"
import { addCompany, at, PanoramaDatabase, run, sell } from "./PanoramaData.ts"

const now = at("2026-03-10T16:00:00Z")

const reverse = (about: string, createdAt: string) =>
  run(`
    insert into cell.reversal (company_id, id, transaction_id, xid, idempotency_key, status, created_at, ask_at)
    select company_id, nextval('cell.reversal_id'), id, xid || 'R', 'r', 'PENDING', '${createdAt}', '${createdAt}'
    from cell.transaction where status = '${about}'`)

layer(PanoramaDatabase)("the matters that need an operator's attention", (it) => {
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
        webhooks: { total: 0, items: [] },
        closing: { day: null, closed: 0, unclosed: 0 }
      })
    })
  )

  it.effect("show held money by age, and the oldest unresolved sale or reversal", () =>
    Effect.gen(function* () {
      yield* sell([
        // A sale that was reserved by a process whose clock is ahead.
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

// `now` is on 10 March, local time.
layer(PanoramaDatabase)("the closings", (it) => {
  const enter = (name: string, time: string) =>
    run(`
      insert into cell.entry (company_id, id, type, amount, balance, reference, created_at)
      select id, nextval('cell.entry_id'), 'deposit', 1, 1, 'r', '${time}' from directory.company where code = '${name}'`)
  const close = (name: string, day: string) =>
    run(`
      insert into cell.closing (company_id, day, content, seal)
      select c.id, '${day}', t.content, sha256(convert_to(t.content, 'UTF8'))
      from directory.company as c
      cross join lateral (
        select json_build_object(
          'companyId', c.id, 'day', '${day}', 'opening', 0, 'closing', 0, 'deposits', '{"amount": 0}'::json,
          'sales', '{"amount": 0}'::json, 'reversals', '{"amount": 0}'::json, 'adjustments', '{"amount": 0}'::json
        )::text as content
      ) as t
      where c.code = '${name}'`)

  it.effect("show the last closed day, and the companies with an unclosed day before today", () =>
    Effect.gen(function* () {
      yield* addCompany("Closed", "production")
      yield* enter("Closed", "2026-03-08T12:00:00Z")
      yield* close("Closed", "2026-03-08")
      yield* close("Closed", "2026-03-09")
      yield* addCompany("Behind", "production")
      yield* enter("Behind", "2026-03-08T12:00:00Z")
      yield* close("Behind", "2026-03-08")
      yield* addCompany("Unclosed", "production")
      yield* enter("Unclosed", "2026-03-10T03:59:59Z")
      yield* addCompany("New", "production")
      yield* enter("New", "2026-03-10T04:00:00Z")
      yield* addCompany("Without entries", "production")
      yield* addCompany("Trial", "development")
      yield* enter("Trial", "2026-03-08T12:00:00Z")
      const { open } = yield* PanoramaReads
      assert.deepStrictEqual((yield* open("production", now)).closing, { day: "2026-03-09", closed: 1, unclosed: 2 })
      assert.deepStrictEqual((yield* open("development", now)).closing, { day: null, closed: 0, unclosed: 1 })
    })
  )
})

layer(PanoramaDatabase)("the last audit", (it) => {
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
