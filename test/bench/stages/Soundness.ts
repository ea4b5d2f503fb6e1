import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { ended } from "../../support/SaldoProcess.ts"
import { historyKey, pendingKey } from "../support/Dataset.ts"
import { BenchmarkProgress, type SaleCount } from "../support/Rounds.ts"
import { command, connectedTo } from "../support/Services.ts"

/** Something that has to hold when all is done. */
export interface SoundnessCheck {
  readonly what: string
  readonly ok: boolean
  readonly detail: string
}

const planned_s = 10

export const soundnessLength_s = planned_s

interface Counts {
  readonly deadlocks: bigint
  readonly sold: bigint
}

const counts = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<Counts>`
    select
      (select deadlocks from pg_stat_database where datname = current_database()) as deadlocks,
      (
        select count(*) from cell.transaction
        where status = 'SUCCESS'
          and idempotency_key not like ${`${historyKey}%`}
          and idempotency_key not like ${`${pendingKey}%`}
      ) as sold`
  return { deadlocks: Number(row?.deadlocks), sold: Number(row?.sold) }
})

const audited = Effect.fnUntraced(function* (database: string) {
  const audit = yield* command(database, "audit")
  const code = yield* ended(audit)
  if (code === 0) return "every invariant holds"
  return `broken: ${audit.stdout()}${audit.stderr()}`
}, Effect.scoped)

/**
 * Proves a database on which Saldo was under load: the invariants of the money, no deadlock, and no sale that was
 * answered as done and is not there. More may be there: the calls that the end of a load cut off.
 */
export const checkSoundness = Effect.fnUntraced(function* (name: string, database: string, { answered }: SaleCount) {
  const { step } = yield* BenchmarkProgress
  return yield* step(
    `Audit of the ${name} database`,
    planned_s,
    Effect.gen(function* () {
      const audit = yield* audited(database)
      const { deadlocks, sold } = yield* Effect.provide(counts, connectedTo(database))
      return [
        { what: `saldo audit, ${name} database`, ok: audit === "every invariant holds", detail: audit },
        { what: `Deadlocks, ${name} database`, ok: deadlocks === 0, detail: String(deadlocks) },
        {
          what: `Sales answered and recorded, ${name} database`,
          ok: sold >= answered,
          detail: `${answered} answered as done, ${sold} recorded`
        }
      ] satisfies ReadonlyArray<SoundnessCheck>
    })
  )
})
