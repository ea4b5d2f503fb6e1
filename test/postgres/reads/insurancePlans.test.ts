import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as InsurancesMemory from "../../../adapters/memory/InsurancesMemory.ts"
import * as AllInsurancesPostgres from "../../../adapters/postgres/reads/AllInsurancesPostgres.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { AllInsurances, type InsuranceFilter } from "../../../core/ports/AllInsurances.ts"
import { TestDatabase } from "../../support/Database.ts"
import { scansOfStatements } from "../../support/ExplainedScans.ts"

const perPage = 50

/** 20,000 insurances of the usual length: two of a hundred are of company 1, and one of a thousand is in state `emitiendo`. */
const Loaded = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql`
      insert into cell.insurance (
        company_id, id, service_id, environment, state, plate, insured, renewal, reference, versions, offered_extras,
        code_hash, code_expires_at, quote_reference, quote_total, quote_extras, quote_expires_at, transaction_id,
        policy_number, valid_from, valid_until, issued_at, created_at
      )
      select
        case when n % 50 = 0 then 1 else 2 end, n, 6, 'development', s.state, 'A12345', '', false, 'C',
        jsonb_build_array(repeat('x', 1500)), '[]', 'h',
        'epoch', 'Q', 100, '[]', 'epoch', n, p.number, p.day, p.day, p.day, 'epoch'
      from generate_series(1, 20000) as n
      cross join lateral (select case when n % 1000 = 1 then 'emitiendo' else 'emitida' end as state) as s
      left join lateral (select 'P' as number, date '2026-01-31' as day) as p on s.state = 'emitida'`
    // Writes the commits to disk, because commits of tests do not wait for the disk. Vacuum marks a row as visible only if
    // the commit of the row is on disk.
    yield* sql.unsafe("checkpoint").unprepared
    yield* sql.unsafe("vacuum analyze cell.insurance").unprepared
  })
)

const TestLayer = AllInsurancesPostgres.layer.pipe(
  Layer.provide(InsurancesMemory.vaultLayer),
  Layer.provideMerge(Loaded),
  Layer.provideMerge(TestDatabase)
)

layer(TestLayer)("a page of insurances", (it) => {
  it.effect.each([
    [{}, 3, 300],
    [{ state: "emitida" }, 20, 1_000],
    [{ state: "emitiendo" }, 1, 20],
    // To count the insurances of one company, the query reads each of them: 400 rows.
    [{ companyId: CompanyId.make(1) }, 2, 500]
  ] as ReadonlyArray<readonly [InsuranceFilter, number, number]>)(
    "with the filter %j reads on page %i at most %i insurances, and counts the others in an index",
    ([filter, page, rows_max]) =>
      Effect.gen(function* () {
        const scans = yield* scansOfStatements(AllInsurances.use(({ list }) => list(filter, { page, perPage })))
        const read = scans.filter(({ kind, of }) => kind !== "Index Only Scan" && of === "insurance")
        assert.isNotEmpty(read)
        assert.isEmpty(
          read.filter(({ kind }) => kind === "Seq Scan"),
          JSON.stringify(scans)
        )
        const rows = read.reduce((sum, scan) => sum + scan.rows, 0)
        assert.isAtMost(rows, rows_max, JSON.stringify(scans))
      })
  )
})
