import { type PgClient, PgTypes } from "@effect/sql-pg"
import { Clock, Duration, Effect, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { ReportProgress } from "../../../core/ports/Progress.ts"
import { int8 } from "../connection/Sql.ts"
import { isLockTimeout, isTransient } from "../connection/SqlFailure.ts"

/** A cell with the owner's connection to its node. */
export interface OwnedCell {
  readonly name: string
  readonly sql: PgClient.PgClient
}

/** What a move copies: the rows of one company, or the whole cell if the value is null. */
export type Moved = CompanyId | null

/** A table of a cell, with parts of statements. sql/functions/move.sql explains them. */
interface MovedTable {
  readonly name: string
  readonly stored: string
  readonly columns: string
  readonly texts: string
  readonly parsed: string
  readonly types: string
}

/** Number of rows that are copied by one statement. So memory does not grow with the number of rows. */
const batch_max = 1_000

/** Tries up to six times, each time with a wait of 3 seconds for locks of rows and tables. A failed try is rolled back. */
export const moveRetry = Schedule.max([Schedule.spaced("1 second"), Schedule.recurs(5)]).pipe(
  Schedule.setInputType<SqlError>(),
  Schedule.while(({ input }) => isTransient(input) || isLockTimeout(input))
)

/**
 * Runs a part of a move in a transaction that waits 3 seconds for a lock, because sales may wait for this transaction. On a
 * worker of a Citus cluster it may lock shards and change their triggers; without Citus the setting that allows this has
 * no effect.
 */
export const inMoveTransaction = <A, E, R>(sql: PgClient.PgClient, part: Effect.Effect<A, E, R>) =>
  sql.withTransaction(
    Effect.andThen(
      sql`
        select set_config('lock_timeout', '3s', true), set_config('citus.enable_manual_changes_to_shards', 'on', true)`,
      part
    )
  )

/**
 * Fails if the transaction that holds a move has lost its connection.
 *
 * @param directory the client of this transaction.
 */
export const stillHeldBy = (directory: PgClient.PgClient): Effect.Effect<unknown, SqlError> => directory`select`

/** The tables of a cell that a move copies, in the order in which foreign keys allow inserts. The balance is last. */
export const tablesToMove = ({ name, sql }: OwnedCell, moved: Moved) =>
  sql<MovedTable>`
    select name, stored, columns, texts, parsed, types
    from ${sql(name)}.tables_to_move(${moved === null})
    order by place`

/** How long a move waits for the transactions that are writing. */
const writers_max = Duration.seconds(30)

// A statement that writes or locks rows takes a table lock in one of these modes before it reads the table.
const writersOf = ({ name, sql }: OwnedCell) =>
  Effect.map(
    sql<{ name: string }>`
      select distinct l.virtualtransaction as name
      from pg_locks as l
      join pg_class as c on c.oid = l.relation and c.relnamespace = to_regnamespace(${name})
      join pg_database as d on d.oid = l.database and d.datname = current_database()
      where l.locktype = 'relation' and l.mode in ('RowShareLock', 'RowExclusiveLock') and l.granted
        and l.pid <> pg_backend_pid()`,
    (rows): ReadonlySet<string> => new Set(rows.map((row) => row.name))
  )

/** Waits until a condition holds, or until the time is over. Returns whether it holds. */
const waitUntil = Effect.fnUntraced(function* <E, R>(condition: Effect.Effect<boolean, E, R>, most: Duration.Duration) {
  const began_ms = yield* Clock.currentTimeMillis
  let holds = yield* condition
  while (!holds && (yield* Clock.currentTimeMillis) - began_ms < Duration.toMillis(most)) {
    yield* Effect.sleep("100 millis")
    holds = yield* condition
  }
  return holds
})

/**
 * Waits for all transactions that are writing rows of the cell now, for any company. Returns false if one of them has not
 * ended after 30 seconds.
 */
export const writersGone = Effect.fnUntraced(function* (cell: OwnedCell) {
  const before = yield* writersOf(cell)
  const areGone = Effect.map(writersOf(cell), (now) => [...before].every((writer) => !now.has(writer)))
  return yield* waitUntil(areGone, writers_max)
})

/**
 * The tables to freeze. The balance is last, so if it is frozen, every table is frozen. The table that records the schema's
 * files is frozen with a whole cell, so that no migration changes a cell that moves.
 */
const namesOf = (cell: OwnedCell, moved: Moved) =>
  Effect.map(tablesToMove(cell, moved), (tables) => [
    ...(moved === null ? ["schema_file"] : []),
    ...tables.map(({ name }) => name)
  ])

/**
 * Adds the triggers that refuse changes of the tables. For a company, the triggers take effect when the company's row in
 * `departed` says that the company is frozen. For a whole cell, they take effect immediately.
 */
export const freezeTables = Effect.fnUntraced(function* (cell: OwnedCell, moved: Moved) {
  const { name, sql } = cell
  for (const table of yield* namesOf(cell, moved)) {
    yield* Effect.retry(
      inMoveTransaction(sql, sql`select ${sql(name)}.freeze_table(${table}, ${int8(moved)})`),
      moveRetry
    )
  }
})

/**
 * Makes the tables of a frozen cell writable again.
 *
 * @param stillHeld fails if this process no longer holds the move. Runs while each table is locked, so that no other
 * process can freeze the table at the same time.
 */
export const thawCell = Effect.fnUntraced(function* (cell: OwnedCell, stillHeld: Effect.Effect<unknown, SqlError>) {
  const { name, sql } = cell
  for (const table of (yield* namesOf(cell, null)).toReversed()) {
    const thaw = Effect.andThen(sql`select ${sql(name)}.thaw_table(${table}, true)`, stillHeld)
    yield* Effect.retry(inMoveTransaction(sql, thaw), moveRetry)
  }
})

/** Copies a table to another cell, or to the same cell on another node. Returns the number of rows. */
const copyTable = Effect.fnUntraced(function* (
  source: OwnedCell,
  target: OwnedCell,
  { moved, table, done }: { readonly moved: Moved; readonly table: MovedTable; readonly done: number }
) {
  const report = yield* ReportProgress
  const condition = moved === null ? "true" : `company_id = ${moved}`
  yield* source.sql.unsafe(`
    declare moved_rows no scroll cursor for
    select array_to_json(array[${table.texts}])::text as row from "${source.name}"."${table.name}" where ${condition}`)
    .unprepared
  const fetched = source.sql.unsafe<{ row: string }>(`fetch ${batch_max} from moved_rows`).unprepared
  const insert = (rows: ReadonlyArray<{ readonly row: string }>) =>
    target.sql.unsafe(
      `insert into "${target.name}"."${table.name}" (${table.stored})
      select ${table.parsed} from jsonb_array_elements($1::text::jsonb) as e(r)`,
      [PgTypes.text(`[${rows.map(({ row }) => row).join()}]`)]
    )
  let copied = 0
  let rows = yield* fetched
  while (rows.length > 0) {
    copied += rows.length
    ;[rows] = yield* Effect.all([fetched, insert(rows)], { concurrency: 2 })
    yield* report(done + copied, null)
  }
  yield* source.sql.unsafe("close moved_rows").unprepared
  return copied
})

const digestOf = ({ name, sql }: OwnedCell, table: MovedTable, moved: Moved) =>
  Effect.map(
    sql<{ digest: string }>`
      select concat_ws(' ', n, digest) as digest
      from ${sql(name)}.digest_of(${table.name}, ${table.columns}, ${int8(moved)})`,
    ([row]) => row?.digest ?? ""
  )

// With these settings, both servers write and read values as the same texts.
const readableValues = (sql: PgClient.PgClient) => sql`
  select
    set_config('timezone', 'UTC', true),
    set_config('datestyle', 'ISO, MDY', true),
    set_config('intervalstyle', 'postgres', true),
    set_config('bytea_output', 'hex', true),
    set_config('extra_float_digits', '1', true)`

/**
 * Copies the rows to another cell, or to the same cell on another node, and compares every column of every row. Runs in a
 * transaction of each node. Each column travels as text, because the driver has no COPY.
 *
 * @returns the number of rows.
 */
export const copyRows = Effect.fnUntraced(function* (source: OwnedCell, target: OwnedCell, moved: Moved) {
  const tables = yield* tablesToMove(source, moved)
  const layouts = [tables, yield* tablesToMove(target, moved)].map((those) =>
    those.map(({ name, types }) => `${name}: ${types}`).join("; ")
  )
  if (layouts[0] !== layouts[1])
    return yield* Effect.die(
      new Error(`the tables of the cells ${source.name} and ${target.name} differ: run saldo migrate`)
    )
  yield* readableValues(source.sql)
  yield* readableValues(target.sql)
  const counts: Array<number> = []
  for (const table of tables) {
    const done = counts.reduce((sum, count) => sum + count, 0)
    counts.push(yield* copyTable(source, target, { moved, table, done }))
  }
  for (const [index, table] of tables.entries()) {
    const digests = yield* Effect.forEach([source, target], (cell) => digestOf(cell, table, moved), { concurrency: 2 })
    const [original, copy] = digests
    if (original !== copy || original?.split(" ")[0] !== `${counts[index]}`)
      return yield* Effect.die(new Error(`the copy of ${source.name}.${table.name} differs`))
  }
  return counts.reduce((sum, count) => sum + count, 0)
})
