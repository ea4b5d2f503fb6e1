import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PanoramaReads } from "../../../core/ports/PanoramaReads.ts"
import { type Scan, scansOfStatements } from "../../support/ExplainedScans.ts"
import { at, PanoramaDatabase, run } from "./PanoramaData.ts"

const now = at("2026-03-11T04:00:00Z")
const lastDay = { since: at("2026-03-10T04:00:00Z"), until: now }

const days = 30
const perDay = 4_000

/** Writes a month of sales, ten for each company on each day, in the order of their creation. */
const month = `
  insert into cell.transaction (
    company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier, amount,
    reversible, day, created_at, processed_at, auth_code
  )
  select n % ${perDay / 10}, n, 'x-' || n, 'k-' || n, 'SUCCESS', 'production', 1 + n % 20, 's', 'generic', 'iii', 100, false, at, at, at, 'a'
  from (
    select n, timestamptz '2026-03-11 04:00:00Z' - (${days * perDay} - n) * (interval '1 day' / ${perDay}) as at
    from generate_series(1, ${days * perDay}) as n
  ) as s`

const pages_max = (scans: ReadonlyArray<Scan>) =>
  scans.filter(({ of }) => of === "transaction").reduce((pages, scan) => Math.max(pages, scan.pages), 0)

const reads: ReadonlyArray<readonly [string, Effect.Effect<unknown, never, PanoramaReads>]> = [
  ["the sales of a day", PanoramaReads.use(({ sales }) => sales("production", lastDay))],
  ["the results of a day", PanoramaReads.use(({ suppliers }) => suppliers("production", lastDay))],
  ["the open matters", PanoramaReads.use(({ open }) => open("production", now))]
]

for (const [statistics, analyze] of [
  ["without statistics", "select"],
  ["with statistics", "analyze"]
] as const) {
  layer(PanoramaDatabase)(`among a month of sales, ${statistics},`, (it) => {
    describe("the panorama", () => {
      it.effect("reads a part of the pages and never a whole table of sales", () =>
        Effect.gen(function* () {
          yield* run(month)
          // In production, autovacuum does this soon after the pages are full.
          yield* run("select brin_summarize_new_values('cell.transaction_created_at')")
          yield* run(analyze)
          const [table] = yield* run("select pg_relation_size('cell.transaction') / 8192 as pages")
          const { pages } = table as { readonly pages: bigint }
          for (const [name, read] of reads) {
            const scans = yield* scansOfStatements(read)
            assert.isNotEmpty(scans)
            assert.isEmpty(
              scans.filter(({ kind, of }) => kind === "Seq Scan" && /transaction|reversal|delivery/.test(of)),
              name
            )
            // A day is a thirtieth of the table. At both ends of the day, a range of the index contains other days too.
            assert.isAtMost(pages_max(scans), Number(pages) / 6, name)
          }
        })
      )
    })
  })
}
