import type { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { CompanyMove } from "../../../core/domain/Cell.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { type LostPlace, type MoveSide, otherSide } from "../../../core/domain/MoveReach.ts"
import type { DatabaseUnavailable } from "../connection/Database.ts"
import { mainNode, type NodeUnknown } from "../connection/Nodes.ts"
import { int8 } from "../connection/Sql.ts"
import { isLockTimeout } from "../connection/SqlFailure.ts"
import {
  copyRows,
  freezeTables,
  inMoveTransaction,
  moveRetry,
  type OwnedCell,
  stillHeldBy,
  tablesToMove,
  writersGone
} from "./CopiedRows.ts"
import { asOwner, type OwnerLayer } from "./OwnerConnections.ts"

/** Why the rows of a company are frozen in a cell: they leave the cell, or a move copies them to the cell. */
type Frozen = "leaving" | "arriving"

/**
 * Freezes the rows of a company in a cell, and commits this. Afterwards no transaction can write the rows, except a
 * transaction that has set `departed.is_leaving`. Returns false if a transaction was writing too long.
 */
const freeze = Effect.fnUntraced(function* (cell: OwnedCell, companyId: CompanyId, frozen: Frozen) {
  const { name, sql } = cell
  // Writes this row before it adds the triggers, so that the end of another company's move does not remove them.
  yield* sql`
    insert into ${sql(name)}.departed as d (company, frozen)
    values (${int8(companyId)}, ${frozen})
    on conflict (company) do update set frozen = excluded.frozen`
  yield* freezeTables(cell, companyId)
  // Waits for the transactions that are writing now, because their triggers may not have seen the row in `departed`.
  return yield* writersGone(cell)
})

/** Locks the row in `departed`. Fails if another process has changed the state of the move. */
const requireFrozen = Effect.fnUntraced(function* (
  { name, sql }: OwnedCell,
  companyId: CompanyId,
  { frozen, lock }: { readonly frozen: Frozen; readonly lock: "share" | "update" }
) {
  const rows = yield* sql`
    select from ${sql(name)}.departed
    where company = ${int8(companyId)} and frozen = ${frozen}
    for ${sql.literal(lock)}`
  if (rows.length === 0)
    return yield* Effect.die(new Error(`the rows of company ${companyId} in ${name} are not frozen as ${frozen}`))
})

const setLeaving = ({ name, sql }: OwnedCell, companyId: CompanyId, isLeaving: boolean) =>
  sql`update ${sql(name)}.departed set is_leaving = ${isLeaving} where company = ${int8(companyId)}`

/** Deletes the rows of a company in a cell, in the transaction that has set `departed.is_leaving`. */
const deleteRows = Effect.fnUntraced(function* (cell: OwnedCell, companyId: CompanyId) {
  const { name, sql } = cell
  for (const table of (yield* tablesToMove(cell, companyId)).toReversed())
    yield* sql`select ${sql(name)}.delete_company(${table.name}, ${int8(companyId)})`
})

/**
 * Replaces the copy in the target. The source's row in `departed` stays locked until the target has committed, so meanwhile
 * no other process deletes the rows or makes them writable.
 */
const copyCompany = Effect.fnUntraced(function* (source: OwnedCell, target: OwnedCell, companyId: CompanyId) {
  const positions = source.sql<{ positions: string | null }>`
    select jsonb_agg(to_jsonb(f))::text as positions from ${source.sql(source.name)}.follow_up as f`
  const { sql } = target
  const copy = Effect.gen(function* () {
    yield* requireFrozen(target, companyId, { frozen: "arriving", lock: "update" })
    yield* setLeaving(target, companyId, true)
    yield* deleteRows(target, companyId)
    const rows = yield* copyRows(source, target, companyId)
    // Moves the positions of the new cell's later checks back to those of the old cell, so that no check skips a moved sale.
    const [row] = yield* positions
    yield* sql`select ${sql(target.name)}.set_back_follow_ups(${row?.positions ?? null}::text::jsonb)`
    yield* setLeaving(target, companyId, false)
    return rows
  })
  return yield* inMoveTransaction(
    source.sql,
    Effect.andThen(requireFrozen(source, companyId, { frozen: "leaving", lock: "share" }), inMoveTransaction(sql, copy))
  )
})

const raiseIds = Effect.fnUntraced(function* (
  source: OwnedCell,
  target: OwnedCell & { readonly ordinal: number },
  companyId: CompanyId
) {
  const [row] = yield* source.sql<{ ids: string }>`
    select ${source.sql(source.name)}.highest_ids(${int8(companyId)})::text as ids`
  const { name, ordinal, sql } = target
  yield* Effect.retry(
    inMoveTransaction(sql, sql`select ${sql(name)}.raise_ids(${row?.ids ?? "{}"}::text::jsonb, ${ordinal}::int)`),
    moveRetry
  )
})

/** Makes the rows of a company writable again in its own cell. */
const thaw = ({ name, sql }: OwnedCell, companyId: CompanyId, stillHeld: Effect.Effect<unknown, SqlError>) =>
  inMoveTransaction(
    sql,
    Effect.andThen(
      sql`delete from ${sql(name)}.departed where company = ${int8(companyId)} and frozen is not null`,
      stillHeld
    )
  )

/**
 * Deletes the frozen rows of a company in a cell that the directory does not name. This cell still refuses the company's calls.
 *
 * @param stillHeld fails if this process no longer holds the lock of the move. Runs while the row in `departed` is locked: a
 * later move waits for this row before it copies rows to the cell.
 */
export const removeFrozen = Effect.fnUntraced(function* (
  cell: OwnedCell,
  companyId: CompanyId,
  stillHeld: Effect.Effect<unknown, SqlError>
) {
  const { name, sql } = cell
  yield* inMoveTransaction(
    sql,
    Effect.gen(function* () {
      const frozen = yield* sql`
        update ${sql(name)}.departed set is_leaving = true
        where company = ${int8(companyId)} and frozen is not null
        returning company`
      if (frozen.length === 0) return
      yield* stillHeld
      yield* deleteRows(cell, companyId)
      yield* sql`
        update ${sql(name)}.departed set is_leaving = false, frozen = null where company = ${int8(companyId)}`
    })
  )
})

/** Removes triggers that are no longer needed. They do no harm, so tables that are in use keep them until the next move. */
export const removeTriggers = Effect.fnUntraced(function* (cell: OwnedCell, companyId: CompanyId) {
  const { name, sql } = cell
  for (const table of yield* tablesToMove(cell, companyId)) {
    yield* Effect.catchIf(
      inMoveTransaction(sql, sql`select ${sql(name)}.thaw_table(${table.name}, false)`),
      isLockTimeout,
      () => Effect.void
    )
  }
})

/** The names of the cells of a move. */
interface Ends {
  readonly source: string
  readonly target: string
}

/** A cell with its ordinal, the remainder of its ids divided by 256. */
interface NumberedCell extends OwnedCell {
  readonly ordinal: number
}

interface PlaceRow {
  readonly name: string
  readonly node: string
  readonly ordinal: number
}

/**
 * Moves the rows of companies between cells that are not both in the database of the directory.
 *
 * Only the directory says which cell has a company. Both copies are frozen until the directory has changed. A process that
 * has died, or that has lost its connection to the directory, can therefore lose no write: it cannot change the directory,
 * and it cannot write rows that are no longer frozen.
 */
export const nodeTransfer = <OE>(sql: PgClient.PgClient, owner: OwnerLayer<OE>) => {
  const withOwner = asOwner(owner)

  const stillHeld = stillHeldBy(sql)

  const placesOf = ({ source, target }: Ends) => sql<PlaceRow>`
    select name, node, ordinal from directory.cell where name in (${source}, ${target}) order by name = ${target}`

  /** Whether a transaction in the database of the directory cannot reach both cells. */
  const isApart = (move: Ends) => Effect.map(placesOf(move), (places) => places.some(({ node }) => node !== mainNode))

  /**
   * Holds the lock of the move while a part of the move runs on the owner's connections. The part gets the company's cell
   * in the directory, and connects to the cells that it needs. Returns none if another process holds the lock, the move has
   * ended, or a wait for locks took too long.
   */
  const held = <A, E, R>(
    move: CompanyMove,
    part: (cells: {
      readonly own: string
      readonly connectTo: (side: MoveSide) => Effect.Effect<NumberedCell, NodeUnknown | DatabaseUnavailable>
    }) => Effect.Effect<Option.Option<A>, E, R>
  ) =>
    withOwner((clientOn) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select set_config('idle_in_transaction_session_timeout', '0', true)`
          const [row] = yield* sql<{ cell: string | null }>`
            select directory.hold_move(${int8(move.companyId)}, ${move.target}) as cell`
          const own = row?.cell ?? null
          const [from, to] = yield* placesOf(move)
          if (own === null || from === undefined || to === undefined) return Option.none<A>()
          const connectTo = (side: MoveSide) => {
            const place = side === "source" ? from : to
            return Effect.map(clientOn(place.node), (client): NumberedCell => ({ ...place, sql: client }))
          }
          return yield* part({ own, connectTo })
        })
      )
    ).pipe(
      Effect.catchIf(isLockTimeout, () => Effect.succeedNone),
      Effect.orDie
    )

  /** Copies the rows, and names the target in the directory. Returns the number of rows. */
  const transfer = (move: CompanyMove) =>
    held(move, ({ connectTo, own }) =>
      Effect.gen(function* () {
        const { companyId } = move
        if (own === move.target) return Option.some(0)
        const source = yield* connectTo("source")
        const target = yield* connectTo("target")
        if (!(yield* freeze(source, companyId, "leaving"))) return Option.none()
        if (!(yield* freeze(target, companyId, "arriving"))) return Option.none()
        yield* raiseIds(source, target, companyId)
        const rows = yield* copyCompany(source, target, companyId)
        const [placed] = yield* sql<{ done: boolean }>`
          select directory.place_company(${int8(companyId)}, ${target.name}) as done`
        if (placed?.done !== true)
          return yield* Effect.die(new Error(`the directory did not accept the move of company ${companyId}`))
        return Option.some(rows)
      })
    )

  /**
   * Makes the rows in the company's own cell writable, and deletes the rows in the other cell. If the other cell is lost,
   * its rows are left out.
   */
  const clear = (move: CompanyMove, lost: LostPlace | null) =>
    Effect.map(
      held(move, ({ connectTo, own }) =>
        Effect.gen(function* () {
          const { companyId } = move
          const side = own === move.target ? "target" : "source"
          if (lost?.side === side) return Option.none()
          const kept = yield* connectTo(side)
          const others = lost === null ? [yield* connectTo(otherSide(side))] : []
          // Thaws the kept rows first. A process that has lost the lock of the move then finds that it may replace no copy.
          yield* thaw(kept, companyId, stillHeld)
          for (const other of others) yield* removeFrozen(other, companyId, stillHeld)
          for (const cell of [kept, ...others]) yield* removeTriggers(cell, companyId)
          return Option.some(undefined)
        })
      ),
      Option.isSome
    )

  return { clear, isApart, placesOf, transfer }
}
