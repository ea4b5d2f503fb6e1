import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Option, Schedule, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { CellName, type CompanyMove } from "../../../core/domain/Cell.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { CompanyMoves } from "../../../core/ports/CompanyMoves.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { isLockTimeout, isTransient } from "../connection/SqlFailure.ts"

const cellOf = Schema.decodeUnknownSync(CellName)

/** Waits for the rows of the company up to six times 3 seconds. Each time the transaction is rolled back. */
const transferRetry = Schedule.max([Schedule.spaced("1 second"), Schedule.recurs(5)]).pipe(
  Schedule.setInputType<SqlError>(),
  Schedule.while(({ input }) => isTransient(input) || isLockTimeout(input))
)

const steps = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const setClosed = (cell: string, companyId: CompanyId, isClosed: boolean, at: DateTime.Utc) =>
    sql`select ${sql(cell)}.close_companies(array[${int8(companyId)}]::bigint[], ${isClosed}, ${instant(at)})`

  // The share lock keeps the target open until the move is recorded.
  const begin: CompanyMoves["Service"]["begin"] = Effect.fnUntraced(function* ({ cell, id }, target, at) {
    const begun = yield* sql`
      insert into directory.company_move (company_id, source, target, begun_at)
      select c.id, c.cell, l.name, ${instant(at)}
      from directory.company as c
      join directory.cell as l on l.name = ${target} and l.state = 'open'
      where c.id = ${int8(id)} and c.cell = ${cell} and c.cell <> ${target}
      for share of l
      on conflict do nothing
      returning company_id`
    if (begun.length > 0) yield* setClosed(cell, id, true, at)
    return begun.length > 0
  }, Effect.orDie)

  const transferOnce = ({ companyId, target }: CompanyMove) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select set_config('lock_timeout', '3s', true)`
        const [row] = yield* sql<{ rows: bigint | null }>`
          select directory.move_company(${int8(companyId)}, ${target}) as rows`
        return Option.map(Option.fromNullishOr(row?.rows), Number)
      })
    )

  const raiseIds = ({ companyId, target }: CompanyMove) =>
    sql.withTransaction(
      Effect.andThen(
        sql`select set_config('lock_timeout', '3s', true)`,
        sql`select directory.raise_ids(${int8(companyId)}, ${target})`
      )
    )

  const transfer: CompanyMoves["Service"]["transfer"] = (move) =>
    Effect.andThen(raiseIds(move), transferOnce(move)).pipe(
      Effect.retry(transferRetry),
      Effect.catchIf(isLockTimeout, () => Effect.succeedNone),
      Effect.orDie
    )

  // The share lock keeps the state of the cell until the company is opened or stays closed. So a cell that is being closed
  // finds the company afterwards.
  const end: CompanyMoves["Service"]["end"] = Effect.fnUntraced(function* ({ companyId, target }, at) {
    const ended = yield* sql`
      delete from directory.company_move
      where company_id = ${int8(companyId)} and target = ${target}
      returning company_id`
    if (ended.length === 0) return false
    const [cell] = yield* sql<{ name: string; closed: boolean }>`
      select l.name, l.state = 'closed' as closed
      from directory.company as c
      join directory.cell as l on l.name = c.cell
      where c.id = ${int8(companyId)}
      for share of l`
    if (cell !== undefined) yield* setClosed(cell.name, companyId, cell.closed, at)
    return true
  }, Effect.orDie)

  return { begin, transfer, end }
})

const watching = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const find = (companyId: CompanyId) =>
    sql<{ source: string; target: string; begun_at: Date }>`
      select source, target, begun_at from directory.company_move where company_id = ${int8(companyId)}`.pipe(
      Effect.map(([row]) =>
        Option.map(
          Option.fromUndefinedOr(row),
          ({ begun_at, source, target }): CompanyMove => ({
            companyId,
            source: cellOf(source),
            target: cellOf(target),
            begunAt: DateTime.fromDateUnsafe(begun_at)
          })
        )
      ),
      Effect.orDie
    )

  // A statement locks its tables in these modes before it reads them.
  const writers = (cell: CellName) =>
    sql<{ name: string }>`
      select distinct l.virtualtransaction as name
      from pg_locks as l
      join pg_class as c on c.oid = l.relation and c.relnamespace = to_regnamespace(${cell})
      join pg_database as d on d.oid = l.database and d.datname = current_database()
      where l.locktype = 'relation' and l.mode in ('RowShareLock', 'RowExclusiveLock') and l.granted
        and l.pid <> pg_backend_pid()`.pipe(
      Effect.map((rows): ReadonlySet<string> => new Set(rows.map(({ name }) => name))),
      Effect.orDie
    )

  // Recovery first asks about a sale in PROCESSING at a time when the call that made the sale has certainly ended.
  const inFlight = ({ companyId, source }: CompanyMove, at: DateTime.Utc) => {
    const unresolved = (table: "transaction" | "reversal") => sql`
      select from ${sql(`${source}.${table}`)}
      where company_id = ${int8(companyId)}
        and status in ('PROCESSING', 'PENDING')
        and (leased_until > ${instant(at)} or (status = 'PROCESSING' and ask_at > ${instant(at)}))`
    return sql<{ n: number }>`
      select count(*)::int as n
      from (
        ${unresolved("transaction")}
        union all
        ${unresolved("reversal")}
        union all
        select from ${sql(`${source}.sms`)} where company_id = ${int8(companyId)} and leased_until > ${instant(at)}
        union all
        select from ${sql(`${source}.delivery`)} where company_id = ${int8(companyId)} and leased_until > ${instant(at)}
      ) as work`.pipe(
      Effect.map(([row]) => row?.n ?? 0),
      Effect.orDie
    )
  }

  // The function move_company writes its progress into the name of its session.
  const progress = (companyId: CompanyId) =>
    sql<{ done: string; total: string }>`
      select p.words[1] as done, p.words[2] as total
      from pg_stat_activity as a
      cross join lateral regexp_match(a.application_name, ${`^saldo move ${companyId}: (\\d+)/(\\d+)$`}) as p(words)
      where a.datname = current_database() and p.words is not null`.pipe(
      Effect.map(([row]) =>
        Option.map(Option.fromUndefinedOr(row), ({ done, total }) => ({ done: Number(done), total: Number(total) }))
      ),
      Effect.orDie
    )

  return { find, inFlight, progress, writers }
})

/** `CompanyMoves` in Postgres, through sql/move.sql. */
export const layer = Layer.effect(
  CompanyMoves,
  Effect.gen(function* () {
    return CompanyMoves.of({ ...(yield* steps), ...(yield* watching) })
  })
)
