import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import type { Deposited, Ledger } from "../../../core/ports/Ledger.ts"
import { inRounds, racers, racing } from "../../support/Concurrency.ts"
import { TestDatabase } from "../../support/Database.ts"
import { replica } from "../../support/SalesOnPostgres.ts"

const rounds = 100

/** Eight spellings that are the same reference. */
const spellings = (round: number) => [
  `banco-${round}`,
  `BANCO-${round}`,
  `banco\u2010${round}`,
  `banco\u2013${round}`,
  `banco\u2212${round}`,
  `banco-${round}\u2800`,
  ` Banco-${round}`,
  `ban\u200bco-${round}`
]

const tagsOf = (deposited: ReadonlyArray<Deposited>) => deposited.map(({ _tag }) => _tag).sort()

/** Deposits on all replicas concurrently, each with a different spelling of the reference. */
const race = (
  ledgers: ReadonlyArray<Ledger["Service"]>,
  round: number,
  companyOf: (racer: number) => number,
  isNew: boolean
) =>
  Effect.forEach(
    ledgers,
    ({ deposit }, racer) =>
      Effect.flatMap(DateTime.now, (at) =>
        deposit({
          companyId: CompanyId.make(companyOf(racer)),
          amount: Amount.make(500),
          reference: spellings(round)[racer] ?? "",
          isNew,
          at
        })
      ),
    { concurrency: "unbounded" }
  )

layer(TestDatabase, { excludeTestServices: true, timeout: "2 minutes" })("eight concurrent deposits", (it) => {
  it.effect("for one company, with different spellings of one reference, add the money once", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledgers = yield* racing(replica)
      yield* inRounds({ count: rounds, first: 1 }, (company) =>
        Effect.gen(function* () {
          const deposited = yield* race(ledgers, company, () => company, false)
          assert.deepStrictEqual(tagsOf(deposited), [
            ...Array.from({ length: racers - 1 }, () => "AlreadyRecorded"),
            "Recorded"
          ])
          const [row] = yield* sql`select available::int from cell.balance where company_id = ${company}`
          assert.deepStrictEqual(row, { available: 500 })
        })
      )
    }).pipe(Effect.scoped)
  )

  it.effect(
    "for eight companies, with different spellings of one reference that must be new, add the money to one company",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const ledgers = yield* racing(replica)
        yield* inRounds({ count: rounds, first: 1_001 }, (round) =>
          Effect.gen(function* () {
            const first = round * racers
            const deposited = yield* race(ledgers, round, (racer) => first + racer, true)
            assert.deepStrictEqual(tagsOf(deposited), [
              "Recorded",
              ...Array.from({ length: racers - 1 }, () => "UsedElsewhere")
            ])
            const rows = yield* sql`
            select available::int from cell.balance where company_id >= ${first} and company_id < ${first + racers}`
            assert.deepStrictEqual(rows, [{ available: 500 }])
          })
        )
      }).pipe(Effect.scoped)
  )
})
