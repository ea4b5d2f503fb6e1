import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { ended } from "../../support/SaldoProcess.ts"
import { historyKey, pendingKey } from "../support/Dataset.ts"
import { BenchmarkProgress, type SaleCount } from "../support/Rounds.ts"
import { command, connectedTo } from "../support/Services.ts"

/** A check of a database after the load. */
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
  if (code === 0) return "no violation"
  return `broken: ${audit.stdout()}${audit.stderr()}`
}, Effect.scoped)

/**
 * Checks a database after a load: the audit finds no violation, no deadlock occurred, and every sale with a success
 * response is stored. More sales may be stored, because calls are cut off when a load ends.
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
        { what: `saldo audit, ${name} database`, ok: audit === "no violation", detail: audit },
        { what: `Deadlocks, ${name} database`, ok: deadlocks === 0, detail: String(deadlocks) },
        {
          what: `Sales with a success response are stored, ${name} database`,
          ok: sold >= answered,
          detail: `${answered} success responses, ${sold} stored`
        }
      ] satisfies ReadonlyArray<SoundnessCheck>
    })
  )
})
