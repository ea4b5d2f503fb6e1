import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** Companies that have sales, and have none of the rows that a sale is made with. */
const balances = `
  insert into cell.balance (company_id, updated_at)
  select distinct company_id, 'epoch'::timestamptz from cell.transaction
  on conflict do nothing`

const lengths = `
  update cell.balance as b
  set sales = coalesce(s.members, 0), entries = coalesce(e.members, 0)
  from cell.balance as o
  left join (select company_id, count(*) as members from cell.transaction group by company_id) as s using (company_id)
  left join (select company_id, count(*) as members from cell.entry group by company_id) as e using (company_id)
  where b.company_id = o.company_id`

const blocks = `
  select cell.make_blocks('sale', array_agg(company_id)), cell.make_blocks('entry', array_agg(company_id))
  from cell.balance`

/** Counts what was written past the money functions, beyond the blocks that are there, as those would have counted it. */
export const listed = PgClient.PgClient.use((sql) =>
  Effect.forEach([balances, lengths, blocks], (statement) => sql.unsafe(statement).unprepared, { discard: true })
)

/** Makes blocks so short that a few sales make some. */
export const shortBlocks = (length: number) =>
  PgClient.PgClient.use(
    (sql) =>
      sql.unsafe(
        `create or replace function cell.block_length() returns int language sql immutable as 'select ${length}'`
      ).unprepared
  )
