import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import { CellName, type CompanyMove } from "../../../core/domain/Cell.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import type { LostPlace } from "../../../core/domain/MoveReach.ts"
import { CompanyMoves } from "../../../core/ports/CompanyMoves.ts"
import { nodeClients } from "../connection/Cell.ts"
import { mainNode } from "../connection/Nodes.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { isLockTimeout } from "../connection/SqlFailure.ts"
import { inMoveTransaction, moveRetry, writersGone } from "./CopiedRows.ts"
import { nodeTransfer } from "./NodeTransfer.ts"
import { type OwnerLayer, reachAsOwner, reachedMain } from "./OwnerConnections.ts"
import { workInFlight } from "./WorkInFlight.ts"

const cellOf = Schema.decodeUnknownSync(CellName)

const ownedPlaceOf = ({ name, node }: { readonly name: string; readonly node: string }) => ({
  node,
  cell: cellOf(name)
})

/** Makes the function that connects to the node of a cell. */
const cellClients = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const clientOn = yield* nodeClients(sql)
  return Effect.fnUntraced(function* (cell: string) {
    const [row] = yield* sql<{ node: string }>`select node from directory.cell where name = ${cell}`
    return yield* clientOn(row?.node ?? mainNode)
  })
})

const openings = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const clientOfCell = yield* cellClients

  const setClosed = Effect.fnUntraced(function* (
    cell: string,
    {
      at,
      companyId,
      isClosed
    }: { readonly at: DateTime.Utc; readonly companyId: CompanyId; readonly isClosed: boolean }
  ) {
    const client = yield* clientOfCell(cell)
    yield* client`
      select ${client(cell)}.close_companies(array[${int8(companyId)}]::bigint[], ${isClosed}, ${instant(at)})`
  })

  const begin: CompanyMoves["Service"]["begin"] = Effect.fnUntraced(function* ({ cell, id }, target, at) {
    // The share locks keep the target open, and both cells on their nodes, until the move is recorded. The next statement sees
    // changes that were committed while this statement waited.
    yield* sql`select from directory.cell where name in (${cell}, ${target}) order by name for share`
    const begun = yield* sql`
      insert into directory.company_move (company_id, source, target, begun_at)
      select c.id, c.cell, l.name, ${instant(at)}
      from directory.company as c
      join directory.cell as l on l.name = ${target} and l.state = 'open'
      where c.id = ${int8(id)} and c.cell = ${cell} and c.cell <> ${target}
        and not exists (select from directory.cell_move as m where m.cell in (c.cell, l.name))
      on conflict do nothing
      returning company_id`
    return begun.length > 0
  }, Effect.orDie)

  const close: CompanyMoves["Service"]["close"] = ({ companyId, source, target }, at) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const [held] = yield* sql<{ cell: string | null }>`
            select directory.hold_move(${int8(companyId)}, ${target}) as cell`
          if (held?.cell === null || held === undefined) return false
          if (held.cell === source) yield* setClosed(source, { companyId, at, isClosed: true })
          return true
        })
      )
      .pipe(Effect.orDie)

  // The share lock keeps the state of the cell until the transaction has opened the company or left it closed. A command that
  // closes the cell at the same time waits for this lock, and then finds the company.
  const end: CompanyMoves["Service"]["end"] = Effect.fnUntraced(function* ({ companyId, target }, { cell, now }) {
    const [held] = yield* sql<{ cell: string | null }>`
      select directory.hold_move(${int8(companyId)}, ${target}) as cell`
    if (held?.cell !== cell) return false
    yield* sql`delete from directory.company_move where company_id = ${int8(companyId)}`
    const [row] = yield* sql<{ closed: boolean }>`
      select state = 'closed' as closed from directory.cell where name = ${cell} for share`
    yield* setClosed(cell, { companyId, at: now, isClosed: row?.closed ?? true })
    return true
  }, Effect.orDie)

  return { begin, close, end }
})

/** Moves the rows: through sql/move.sql if both cells are in the database of the directory, otherwise between nodes. */
const transfers = Effect.fnUntraced(function* <OE>(owner: OwnerLayer<OE>) {
  const sql = yield* PgClient.PgClient
  const { clear, isApart, placesOf, transfer } = nodeTransfer(sql, owner)
  const reachPlace = reachAsOwner(owner)

  const transferOnce = ({ companyId, target }: CompanyMove) =>
    inMoveTransaction(
      sql,
      Effect.map(
        sql<{ rows: bigint | null }>`select directory.move_company(${int8(companyId)}, ${target}) as rows`,
        ([row]) => Option.map(Option.fromNullishOr(row?.rows), Number)
      )
    )

  const raiseIds = ({ companyId, target }: CompanyMove) =>
    inMoveTransaction(sql, sql`select directory.raise_ids(${int8(companyId)}, ${target})`)

  const transferHere = (move: CompanyMove) =>
    Effect.andThen(raiseIds(move), transferOnce(move)).pipe(
      Effect.retry(moveRetry),
      Effect.catchIf(isLockTimeout, () => Effect.succeedNone),
      Effect.orDie
    )

  const isApartOrDie = (move: Parameters<typeof isApart>[0]) => Effect.orDie(isApart(move))

  return {
    reach: Effect.fnUntraced(function* (source: string, target: CellName) {
      const [from, to] = yield* Effect.orDie(placesOf({ source, target }))
      if (from === undefined || to === undefined)
        return yield* Effect.die(new Error("the directory lists no such cells"))
      if (from.node === mainNode && to.node === mainNode) return { source: reachedMain, target: reachedMain }
      return { source: yield* reachPlace(ownedPlaceOf(from)), target: yield* reachPlace(ownedPlaceOf(to)) }
    }),
    transfer: (move: CompanyMove) =>
      Effect.flatMap(isApartOrDie(move), (apart) => (apart ? transfer(move) : transferHere(move))),
    clear: (move: CompanyMove, lost: LostPlace | null) =>
      Effect.flatMap(isApartOrDie(move), (apart) => (apart ? clear(move, lost) : Effect.succeed(true)))
  }
})

const watching = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const clientOfCell = yield* cellClients

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

  const inFlight = ({ companyId, source }: CompanyMove, at: DateTime.Utc) =>
    Effect.orDie(Effect.flatMap(clientOfCell(source), (client) => workInFlight(client, source, { companyId, at })))

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

  return {
    find,
    inFlight,
    progress,
    writersGone: (cell: CellName) =>
      Effect.orDie(Effect.flatMap(clientOfCell(cell), (client) => writersGone({ name: cell, sql: client })))
  }
})

/**
 * `CompanyMoves` in Postgres.
 *
 * @param owner connections with the logins that own the databases. They are only opened to move rows between nodes.
 */
export const layer = <OE>(owner: OwnerLayer<OE>) =>
  Layer.effect(
    CompanyMoves,
    Effect.gen(function* () {
      return CompanyMoves.of({ ...(yield* openings), ...(yield* transfers(owner)), ...(yield* watching) })
    })
  )
