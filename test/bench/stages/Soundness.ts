import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { ended } from "../../support/SaldoProcess.ts"
import { historyKey, pendingKey } from "../support/Dataset.ts"
import { BenchmarkProgress, type SaleCount } from "../support/Rounds.ts"
import { command, connectedTo, type NodeVariables } from "../support/Services.ts"

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

const countsIn = Effect.fnUntraced(function* (cells: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  const sales = cells.map((cell) => `select status, idempotency_key from ${cell}.transaction`).join(" union all ")
  const [row] = yield* sql<Counts>`
    select
      (select deadlocks from pg_stat_database where datname = current_database()) as deadlocks,
      (
        select count(*) from (${sql.literal(sales)}) as t
        where status = 'SUCCESS'
          and idempotency_key not like ${`${historyKey}%`}
          and idempotency_key not like ${`${pendingKey}%`}
      ) as sold`
  return { deadlocks: Number(row?.deadlocks), sold: Number(row?.sold) }
})

/** A database and its cells. */
interface CellDatabase {
  readonly url: string
  readonly cells: ReadonlyArray<string>
}

/** The databases with the cells of an installation. By default the first cell is the only one. */
export interface CellDatabases {
  readonly databases: ReadonlyArray<CellDatabase>
  readonly nodes: NodeVariables
}

const audited = Effect.fnUntraced(function* (database: string, nodes: NodeVariables) {
  const audit = yield* command(database, ["audit"], nodes)
  const code = yield* ended(audit)
  if (code === 0) return "no violation"
  return `broken: ${audit.stdout()}${audit.stderr()}`
}, Effect.scoped)

/**
 * Checks a database after a load: the audit finds no violation, no deadlock occurred, and every sale with a success
 * response is stored. More sales may be stored, because calls are cut off when a load ends.
 */
export const checkSoundness = Effect.fnUntraced(function* (
  name: string,
  database: string,
  { answered }: SaleCount,
  { databases, nodes }: CellDatabases = { databases: [{ url: database, cells: ["cell"] }], nodes: {} }
) {
  const { step } = yield* BenchmarkProgress
  return yield* step(
    `Audit of the ${name} database`,
    planned_s,
    Effect.gen(function* () {
      const audit = yield* audited(database, nodes)
      const counts = yield* Effect.forEach(databases, ({ cells, url }) =>
        Effect.provide(countsIn(cells), connectedTo(url))
      )
      const deadlocks = counts.reduce((total, count) => total + count.deadlocks, 0)
      const sold = counts.reduce((total, count) => total + count.sold, 0)
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
