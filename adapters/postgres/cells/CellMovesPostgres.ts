import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type CellMove, type CellName, NodeName } from "../../../core/domain/Cell.ts"
import { CellNotMoved } from "../../../core/domain/CellErrors.ts"
import { type LostPlace, type MoveSide, otherSide } from "../../../core/domain/MoveReach.ts"
import { CellMoves } from "../../../core/ports/CellMoves.ts"
import { nodeClients } from "../connection/Cell.ts"
import type { DatabaseUnavailable } from "../connection/Database.ts"
import { mainNode, type NodeUnknown } from "../connection/Nodes.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { isLockTimeout } from "../connection/SqlFailure.ts"
import { type CellOnNode, cellOn, dropFrozen, isTaken, makeFilled, requireFrozen } from "./CellSchema.ts"
import {
  copyRows,
  freezeTables,
  inMoveTransaction,
  type OwnedCell,
  stillHeldBy,
  thawCell,
  writersGone
} from "./CopiedRows.ts"
import { asOwner, type OwnerLayer, reachAsOwner } from "./OwnerConnections.ts"
import { workInFlight } from "./WorkInFlight.ts"

const nodeOf = Schema.decodeUnknownSync(NodeName)

const filesOf = ({ name, sql }: OwnedCell) =>
  Effect.map(
    sql<{ files: string }>`
      select string_agg(name || ' ' || digest, ', ' order by name) as files from ${sql(name)}.schema_file`,
    ([row]) => row?.files
  )

/** Gives the sequences of the copy the state of the originals. */
const copySequences = Effect.fnUntraced(function* (source: OwnedCell, { name, sql }: OwnedCell) {
  const sequences = yield* source.sql<{ sequence: string; increment: bigint; start: bigint }>`
    select sequencename::text as sequence, increment_by as increment, start_value as start
    from pg_sequences
    where schemaname = ${source.name}`
  for (const { increment, sequence, start } of sequences) {
    const [state] = yield* source.sql<{ last: bigint; called: boolean }>`
      select last_value as last, is_called as called from ${source.sql(`${source.name}.${sequence}`)}`
    if (state === undefined) continue
    yield* sql`
      alter sequence ${sql(`${name}.${sequence}`)}
      increment by ${sql.literal(String(increment))} start with ${sql.literal(String(start))}`
    yield* sql`select setval(${`"${name}"."${sequence}"`}::regclass, ${int8(state.last)}, ${state.called})`
  }
})

/** Makes the frozen copy of a frozen cell. An existing copy is replaced. */
const copyCell = (source: CellOnNode, target: CellOnNode, stillHeld: Effect.Effect<unknown, SqlError>) => {
  const copied = Effect.gen(function* () {
    if ((yield* filesOf(source)) !== (yield* filesOf(target)))
      return yield* Effect.die(new Error(`the cell ${source.name} has not this version: run saldo migrate`))
    const rows = yield* copyRows(source, target, null)
    yield* copySequences(source, target)
    yield* freezeTables(target, null)
    return rows
  })
  return makeFilled(
    target,
    stillHeld,
    inMoveTransaction(source.sql, Effect.andThen(requireFrozen(source, "access share"), copied))
  )
}

/**
 * Moves the rows of cells. As in NodeTransfer.ts, only the directory says which node has the cell. Both copies are frozen,
 * that is, refuse writes, until the directory has changed.
 */
const cellTransfer = <OE>(sql: PgClient.PgClient, owner: OwnerLayer<OE>) => {
  const withOwner = asOwner(owner)

  const stillHeld = stillHeldBy(sql)

  /**
   * Holds the lock of the move while a part of the move runs. The part gets the cell's node in the directory, and connects
   * to the nodes that it needs.
   */
  const held = <A, E, R>(
    move: CellMove,
    part: (cells: {
      readonly own: string
      readonly connectTo: (side: MoveSide) => Effect.Effect<CellOnNode, SqlError | NodeUnknown | DatabaseUnavailable>
    }) => Effect.Effect<Option.Option<A>, E, R>
  ) =>
    withOwner((clientOn) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select set_config('idle_in_transaction_session_timeout', '0', true)`
          const [row] = yield* sql<{ node: string | null }>`
            select directory.hold_cell_move(${move.name}, ${move.target}) as node`
          const own = row?.node ?? null
          if (own === null) return Option.none<A>()
          const connectTo = (side: MoveSide) => cellOn(clientOn, { name: move.name, node: move[side] })
          return yield* part({ own, connectTo })
        })
      )
    ).pipe(
      Effect.catchIf(isLockTimeout, () => Effect.succeedNone),
      Effect.orDie
    )

  // Holds the lock of the move in a transaction on a connection of the owner. So the transactions of the work are not parts
  // of that transaction.
  const whileHeld = <A>(move: CellMove, work: Effect.Effect<A>) =>
    Effect.orDie(
      withOwner(
        Effect.fnUntraced(function* (clientOn) {
          const main = yield* clientOn(mainNode)
          return yield* main.withTransaction(
            Effect.gen(function* () {
              yield* main`select set_config('idle_in_transaction_session_timeout', '0', true)`
              const [row] = yield* main<{ node: string | null }>`
                select directory.hold_cell_move(${move.name}, ${move.target}) as node`
              return row?.node == null ? Option.none<A>() : Option.some(yield* work)
            })
          )
        })
      )
    )

  const transfer = (move: CellMove) =>
    held(move, ({ connectTo, own }) =>
      Effect.gen(function* () {
        if (own === move.target) return Option.some(0)
        const source = yield* connectTo("source")
        const target = yield* connectTo("target")
        yield* freezeTables(source, null)
        if (!(yield* writersGone(source))) return Option.none()
        const rows = yield* copyCell(source, target, stillHeld)
        const [placed] = yield* sql<{ done: boolean }>`
          select directory.place_cell(${move.name}, ${move.target}) as done`
        if (placed?.done !== true)
          return yield* Effect.die(new Error(`the directory did not accept the move of cell ${move.name}`))
        return Option.some(rows)
      })
    )

  const clear = (move: CellMove, lost: LostPlace | null) =>
    Effect.map(
      held(move, ({ connectTo, own }) =>
        Effect.gen(function* () {
          const side = own === move.target ? "target" : "source"
          if (lost?.side === side) return Option.none()
          const kept = yield* connectTo(side)
          const others = lost === null ? [yield* connectTo(otherSide(side))] : []
          // Thaws the kept cell first. A process that has lost the lock of the move then finds that it may not replace the
          // cell's schema.
          yield* thawCell(kept, stillHeld)
          for (const other of others) yield* dropFrozen(other, stillHeld)
          return Option.some(undefined)
        })
      ),
      Option.isSome
    )

  return { clear, transfer, whileHeld }
}

interface MoveRow {
  readonly source: string
  readonly target: string
  readonly was_open: boolean
}

const make = Effect.fnUntraced(function* <OE>(owner: OwnerLayer<OE>) {
  const sql = yield* PgClient.PgClient
  const clientOn = yield* nodeClients(sql)
  const reachPlace = reachAsOwner(owner)

  const find = (name: CellName) =>
    Effect.orDie(
      Effect.map(sql<MoveRow>`select source, target, was_open from directory.cell_move where cell = ${name}`, ([row]) =>
        Option.map(Option.fromUndefinedOr(row), ({ source, target, was_open }) => ({
          name,
          source: nodeOf(source),
          target: nodeOf(target),
          wasOpen: was_open
        }))
      )
    )

  const isTakenOn = (name: CellName, node: NodeName) =>
    asOwner(owner)((clientOf) => Effect.flatMap(cellOn(clientOf, { name, node }), isTaken))

  /**
   * Whether a move of a company has left frozen rows in the cell. The triggers that freeze these rows would not be copied.
   */
  const hasLeftovers = (name: CellName, source: NodeName) =>
    Effect.flatMap(clientOn(source), (client) =>
      Effect.map(
        client`select from ${client(name)}.departed where frozen is not null limit 1`,
        (rows) => rows.length > 0
      )
    )

  // The row lock waits for the moves of companies that are being recorded. Later moves of companies find the record of this
  // move.
  const begin: CellMoves["Service"]["begin"] = Effect.fnUntraced(function* ({ name, source, target }, at) {
    if (yield* Effect.orDie(isTakenOn(name, target))) return yield* new CellNotMoved({ name, why: "taken" })
    const [cell] = yield* Effect.orDie(sql<{ node: string; open: boolean }>`
      select node, state = 'open' as open from directory.cell where name = ${name} for update`)
    if (cell?.node !== source) return false
    const [found] = yield* Effect.orDie(sql<{ moving: boolean; sandbox: boolean }>`
      select
        exists (select from directory.company_move as m where ${name} in (m.source, m.target)) as moving,
        exists (select from directory.company as c where c.cell = ${name} and c.code = 'SANDBOX') as sandbox`)
    if (found?.moving === true) return yield* new CellNotMoved({ name, why: "companies" })
    if (yield* Effect.orDie(hasLeftovers(name, source))) return yield* new CellNotMoved({ name, why: "leftovers" })
    if (found?.sandbox === true && target !== mainNode) return yield* new CellNotMoved({ name, why: "sandbox" })
    const begun = yield* Effect.orDie(sql`
      insert into directory.cell_move (cell, source, target, begun_at, was_open)
      values (${name}, ${source}, ${target}, ${instant(at)}, ${cell.open})
      on conflict do nothing
      returning cell`)
    yield* Effect.orDie(sql`update directory.cell set state = 'closed' where name = ${name}`)
    return begun.length > 0
  })

  const inFlight: CellMoves["Service"]["inFlight"] = (name, at) =>
    sql<{ node: string }>`select node from directory.cell where name = ${name}`.pipe(
      Effect.flatMap(([row]) => clientOn(row?.node ?? mainNode)),
      Effect.flatMap((client) => workInFlight(client, name, { at, companyId: null })),
      Effect.orDie
    )

  const end: CellMoves["Service"]["end"] = Effect.fnUntraced(function* ({ name, target }, node) {
    const [held] = yield* sql<{ node: string | null }>`select directory.hold_cell_move(${name}, ${target}) as node`
    if (held?.node !== node) return false
    yield* sql`delete from directory.cell_move where cell = ${name}`
    return true
  }, Effect.orDie)

  return CellMoves.of({
    ...cellTransfer(sql, owner),
    begin,
    end,
    find,
    inFlight,
    reach: ({ name: cell, source, target }) =>
      Effect.all({ source: reachPlace({ cell, node: source }), target: reachPlace({ cell, node: target }) })
  })
})

/**
 * `CellMoves` in Postgres.
 *
 * @param owner connections with the logins that own the databases.
 */
export const layer = <OE>(owner: OwnerLayer<OE>) => Layer.effect(CellMoves, make(owner))
