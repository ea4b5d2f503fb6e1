import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as FundingProposalsPostgres from "../../../adapters/postgres/ledger/FundingProposalsPostgres.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { FundingProposals } from "../../../core/ports/FundingProposals.ts"
import { TestDatabase } from "../../support/Database.ts"
import { scansOfStatements } from "../../support/ExplainedScans.ts"

const proposals = 20_000
const limit = 200

/** Rejected proposals of a hundred companies. */
const propose = `
  insert into cell.funding_proposal (
    company_id, number, kind, amount, reference, is_repeated, proposed_by, proposed_at, expires_at, state, decided_by,
    decided_at, decision_reason
  )
  select 1 + n % 100, n, 'deposit', 100, n, false, 'ana', '2026-01-01', '2026-01-02', 'rejected', 'luis', '2026-01-01', 'no'
  from generate_series(1, ${proposals}) as n`

layer(Layer.provideMerge(FundingProposalsPostgres.layer, TestDatabase))("with many proposals", (it) => {
  it.effect("finding one proposal, or listing the newest proposals, does not read the other proposals", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe(propose).unprepared
      yield* sql.unsafe("analyze cell.funding_proposal").unprepared
      const { find, list } = yield* FundingProposals
      for (const [most, reading] of [
        [1, Effect.asVoid(find(proposals / 2))],
        [limit, Effect.asVoid(list(null, limit))],
        [limit, Effect.asVoid(list(CompanyId.make(7), limit))]
      ] as const) {
        const scans = yield* scansOfStatements(reading)
        assert.isNotEmpty(scans)
        for (const { kind, rows } of scans) {
          assert.notStrictEqual(kind, "Seq Scan")
          assert.isAtMost(rows, most)
        }
      }
    })
  )
})
