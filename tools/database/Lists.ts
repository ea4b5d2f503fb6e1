import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** Companies that have sales, and have none of the rows that a sale is made with. */
const balances = `
  insert into cell.balance (company_id, updated_at)
  select distinct company_id, 'epoch'::timestamptz from cell.transaction
  on conflict do nothing`

const lists = "select count(*) from (select cell.list_anew(array_agg(company_id)) from cell.balance) as l"

/** Counts what was written past the money functions. */
export const listed = PgClient.PgClient.use((sql) =>
  Effect.forEach([balances, lists], (statement) => sql.unsafe(statement).unprepared, { discard: true })
)

/** Lets so many rows make a block, from now on. */
export const blocksAreOf = (length: number) =>
  PgClient.PgClient.use(
    (sql) =>
      sql.unsafe(
        `create or replace function cell.block_length() returns int language sql immutable as 'select ${length}'`
      ).unprepared
  )
