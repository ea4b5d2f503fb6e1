import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as AuditEventsPostgres from "../../../adapters/postgres/directory/AuditEventsPostgres.ts"
import * as AuditLogPostgres from "../../../adapters/postgres/directory/AuditLogPostgres.ts"
import type { AuditAction } from "../../../core/domain/AuditAction.ts"
import { CompanyId, TokenId, TransactionId } from "../../../core/domain/Ids.ts"
import { type Actor, OperatorId } from "../../../core/domain/Operator.ts"
import { AuditEvents, type AuditFilter } from "../../../core/ports/AuditEvents.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { TestDatabase } from "../../support/Database.ts"
import { scansOfStatements } from "../../support/ExplainedScans.ts"

const TestLayer = Layer.mergeAll(AuditEventsPostgres.layer, AuditLogPostgres.layer).pipe(
  Layer.provideMerge(TestDatabase)
)

const ana: Actor = { id: OperatorId.make(1), name: "Ana Peña", role: "cajero", via: "console", address: "203.0.113.7" }
const luis: Actor = { id: OperatorId.make(2), name: "Luis", role: "admin", via: "cli", address: "luis@203.0.113.8" }

type Recorded = readonly [at: string, action: AuditAction, actor: Actor | null, company: number | null, sale?: number]

// The events in the order of their time. The actor null means that the server recorded the event.
const events: ReadonlyArray<Recorded> = [
  ["2026-03-10T03:59:59.999Z", "company_created", luis, 7],
  ["2026-03-10T04:00:00Z", "deposit_recorded", ana, 7],
  ["2026-03-10T04:00:00Z", "deposit_recorded", ana, 8],
  ["2026-03-10T15:00:00Z", "late_success", null, 7, 4711],
  ["2026-03-11T03:59:59.999Z", "resolution_proposed", luis, 7, 4711],
  ["2026-03-11T04:00:00Z", "catalogue_imported", luis, null]
]

const recorded = AuditLog.use(({ record }) =>
  Effect.forEach(events, ([time, action, actor, company, sale]) =>
    record({
      at: DateTime.makeUnsafe(time),
      action,
      companyId: company === null ? null : CompanyId.make(company),
      tokenId: action === "company_created" ? TokenId.make(3) : null,
      ...(actor !== null && { actor }),
      details: sale === undefined ? {} : { transactionId: sale }
    })
  )
)

layer(Layer.provideMerge(Layer.effectDiscard(recorded), TestLayer))("the audit log", (it) => {
  // Each number is the position of an event in the list above, counted from 1.
  it.effect.each([
    [{}, [6, 5, 4, 3, 2, 1]],
    [{ actor: "ana PEÑA" }, [3, 2]],
    [{ actor: "Ana" }, []],
    [{ actor: "server" }, [4]],
    [{ action: "deposit_recorded" }, [3, 2]],
    [{ action: "unknown" }, []],
    [{ companyId: CompanyId.make(7) }, [5, 4, 2, 1]],
    [{ transactionId: TransactionId.make(4711) }, [5, 4]],
    [{ via: "cli" }, [6, 5, 1]],
    [{ address: "203.0.113.7" }, [3, 2]],
    [{ from: "2026-03-10", to: "2026-03-10" }, [5, 4, 3, 2]],
    [{ from: "2026-03-11" }, [6]],
    [{ to: "2026-03-09" }, [1]],
    [{ from: "2026-03-11", to: "2026-03-09" }, []],
    [{ actor: "luis", companyId: CompanyId.make(7), from: "2026-03-10" }, [5]]
  ] as ReadonlyArray<readonly [AuditFilter, ReadonlyArray<number>]>)(
    "with %j shows %j, newest first",
    ([filter, shown]) =>
      Effect.gen(function* () {
        const { page } = yield* AuditEvents
        const { items, next } = yield* page(filter, undefined, 50)
        assert.deepStrictEqual(
          items.map(({ id }) => id),
          shown
        )
        assert.isNull(next)
      })
  )

  it.effect("shows the actor, the place, the subject and the facts of an event", () =>
    Effect.gen(function* () {
      const { page } = yield* AuditEvents
      const { items } = yield* page({}, undefined, 50)
      assert.deepStrictEqual(items.at(-1), {
        id: 1,
        at: DateTime.makeUnsafe("2026-03-10T03:59:59.999Z"),
        action: "company_created",
        companyId: CompanyId.make(7),
        tokenId: TokenId.make(3),
        actor: { id: OperatorId.make(2), name: "Luis", via: "cli", address: "luis@203.0.113.8" },
        details: {}
      })
      assert.deepInclude(items[2], {
        actor: { id: null, name: "server", via: "server", address: null },
        details: { transactionId: 4711 }
      })
    })
  )

  it.effect("continues after the last event of a page, also among events of the same instant", () =>
    Effect.gen(function* () {
      const { page } = yield* AuditEvents
      const pages: Array<ReadonlyArray<number>> = []
      let before: number | undefined
      do {
        const { items, next } = yield* page({}, before, 2)
        pages.push(items.map(({ id }) => id))
        before = next ?? undefined
      } while (before !== undefined)
      assert.deepStrictEqual(pages, [
        [6, 5],
        [4, 3],
        [2, 1]
      ])
      assert.deepStrictEqual(yield* page({}, 999, 2), { items: [], next: null })
    })
  )

  it.effect("shows events of earlier versions without an actor", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`insert into directory.audit_event (at, action, details) values ('2020-01-01', 'token_issued', '{}')`
      const { page } = yield* AuditEvents
      const { items } = yield* page({ to: "2020-12-31" }, undefined, 50)
      assert.deepStrictEqual(
        items.map(({ action, actor }) => [action, actor]),
        [["token_issued", null]]
      )
    })
  )
})

const many = 50_000

/** Events of the server about many companies. Of 1,000, one has another action, one another actor, one another place. */
const manyEvents = `
  insert into directory.audit_event (at, action, company_id, details, actor, via, address)
  select
    timestamptz '2026-01-01' + n * interval '1 minute', case when n % 1000 = 1 then 'deposit_recorded' else 'foreign_company' end,
    nullif(n % 1000, 0), jsonb_build_object('transactionId', n), case when n % 1000 = 2 then 'Ana' else 'server' end,
    case when n % 1000 = 3 then 'cli' else 'server' end, case when n % 1000 = 4 then '203.0.113.7' end
  from generate_series(1, ${many}) as n`

layer(TestLayer)("a page of a long audit log", (it) => {
  it.effect("reads at most a few hundred events with any filter", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe(manyEvents).unprepared
      yield* sql.unsafe("analyze directory.audit_event").unprepared
      const { page } = yield* AuditEvents
      const filters: ReadonlyArray<AuditFilter> = [
        {},
        { actor: "ana" },
        { action: "deposit_recorded" },
        { companyId: CompanyId.make(77) },
        { transactionId: TransactionId.make(30_000) },
        { via: "cli" },
        { address: "203.0.113.7" },
        { from: "2026-01-10", to: "2026-01-10" },
        { action: "deposit_recorded", companyId: CompanyId.make(500) }
      ]
      for (const filter of filters) {
        for (const before of [undefined, 25_000]) {
          const scans = yield* scansOfStatements(page(filter, before, 50))
          assert.isNotEmpty(scans)
          const read = scans.reduce((rows, scan) => rows + scan.rows, 0)
          assert.isAtMost(read, 300, `${JSON.stringify(filter)} ${before} ${JSON.stringify(scans)}`)
        }
      }
    })
  )
})
