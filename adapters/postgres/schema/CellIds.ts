import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Gives each cell of an installation with several cells its own ids. Each sequence then counts in steps of 256, and the
 * remainder of an id divided by 256 is the ordinal of its cell. A changed sequence continues above all ids that sequences
 * of its name have assigned in any cell. Sequences that already count by 256 do not change.
 *
 * Runs in the transaction that makes the sequences of a new cell. In a cell with sales, a change of a sequence waits for
 * the transactions that use the sequence. New transactions wait until this transaction ends. The change fails after a wait
 * of 3 seconds, because a sale that waits 10 seconds is not sent.
 */
export const spreadIds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select set_config('lock_timeout', '3s', true)`
  yield* sql`
    do $$
    declare
      s record;
      highest bigint;
    begin
      for s in
        select c.name as cell, c.ordinal, q.sequencename as name
        from directory.cell as c
        join pg_sequences as q on q.schemaname = c.name
        where q.increment_by <> 256 and (select count(*) from directory.cell) > 1
        -- transaction_id first: a sale uses it before it locks a balance, and all other sequences afterwards. In this
        -- order, no holder of a sequence waits for another sequence.
        order by q.sequencename <> 'transaction_id', q.sequencename, c.ordinal
      loop
        -- Locks the sequence until the transaction ends, so its last value is read after this.
        execute format('alter sequence %I.%I increment by 256', s.cell, s.name);
        execute (
          select
            'select max(id) from ('
            || string_agg(format('select last_value as id from %I.%I', q.schemaname, q.sequencename), ' union all ')
            || ')'
          from directory.cell as c
          join pg_sequences as q on q.schemaname = c.name
          where q.sequencename = s.name
        )
        into highest;
        -- The start value shows from which id on the sequence counts by 256.
        execute format(
          'alter sequence %I.%I start with %3$s restart with %3$s',
          s.cell, s.name, highest + 256 - mod(highest - s.ordinal + 256, 256)
        );
      end loop;
    end;
    $$`.unprepared
}).pipe(Effect.withSpan("CellIds.spreadIds"))

/**
 * For each name of a sequence, the highest id that the sequences with this name may have assigned in the cells of this
 * database.
 */
export const highestIds = Effect.map(
  SqlClient.SqlClient.use(
    (sql) => sql<{ name: string; id: bigint }>`
      select q.sequencename::text as name, max(greatest(q.last_value, q.start_value)) as id
      from directory.cell as c
      join pg_sequences as q on q.schemaname = c.name
      group by 1`
  ),
  (rows) => new Map(rows.map(({ id, name }) => [name, id]))
)

/**
 * Gives a cell on another node its own ids, above the given ids. Sequences that already count by 256 do not change. Runs
 * in the transaction that makes the sequences, before they assign an id.
 *
 * @param highest the highest ids of the other cells, by sequence. Empty if the other cells count by 256 too.
 */
export const spreadIdsOn = Effect.fnUntraced(function* (
  cell: string,
  ordinal: number,
  highest: ReadonlyMap<string, bigint>
) {
  const sql = yield* SqlClient.SqlClient
  const sequences = yield* sql<{ name: string }>`
    select sequencename::text as name from pg_sequences where schemaname = ${cell} and increment_by <> 256`
  for (const { name } of sequences) {
    const above = highest.get(name) ?? 0n
    const first = above + 256n - ((above - BigInt(ordinal) + 256n) % 256n)
    yield* sql`
      alter sequence ${sql(`${cell}.${name}`)}
      increment by 256 start with ${sql.literal(String(first))} restart with ${sql.literal(String(first))}`
  }
})
