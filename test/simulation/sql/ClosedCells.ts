import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { simulatedCells } from "../process/CompaniesAndCatalogue.ts"

/** The names of the closed cells. */
export const closedCells = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ name: string }>`select name from directory.cell where state = 'closed'`
  return new Set(rows.map(({ name }) => name))
})

/**
 * The tables that get a row when a call of a company begins something, such as a sale. The table of keys is left out, because
 * a refused sale inserts its key and deletes it again.
 */
const begun = [
  "transaction",
  "reversal",
  "insurance",
  "option",
  "sms",
  "webhook",
  "funding_proposal",
  "resolution",
  "closing"
] as const

/** The tables with work that servers claim. */
const claimed = ["transaction", "reversal", "sms", "delivery"] as const

const cellLogSql = (cell: string): string => {
  const trigger = (name: string, event: string, table: string, when: string) => `
    create trigger simulation_${name} after ${event} on ${cell}.${table}
    for each row when (${when}) execute function simulation.log_begun_${cell}();`
  return `
    create function simulation.log_begun_${cell}() returns trigger language plpgsql as $$
    begin
      insert into simulation.begun (company_id, what)
      select b.company_id, lower(tg_op) || ' of ' || tg_table_name
      from ${cell}.balance as b
      where b.company_id = new.company_id and b.closed;
      return null;
    end;
    $$;
    ${begun.map((table) => trigger("begun", "insert", table, "true")).join("")}
    ${trigger("begun", "insert", "entry", "new.type in ('deposit', 'adjustment')")}
    ${claimed.map((table) => trigger("claimed", "update", table, "new.leased_until > coalesce(old.leased_until, '-infinity')")).join("")}`
}

/**
 * SQL that creates a log of what begins for closed companies: rows of calls, and claims of work. Triggers write the log. So it
 * does not depend on the functions and triggers under test, which refuse these rows and claims.
 */
export const begunLogSql = [
  `create table simulation.begun (
     n bigint generated always as identity primary key,
     company_id bigint not null,
     what text not null
   );`,
  ...simulatedCells.map(cellLogSql)
].join("\n")

/** Reads what has begun for closed companies. */
export const begunWhileClosed = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{
    company_id: bigint
    what: string
  }>`select company_id, what from simulation.begun order by n`
  return rows.map(({ company_id, what }) => `company ${company_id}: ${what}`)
})
