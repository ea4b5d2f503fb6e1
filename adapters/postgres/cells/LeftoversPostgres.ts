import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import { CellName, type Leftover } from "../../../core/domain/Cell.ts"
import { CellsUnreachable } from "../../../core/domain/CellErrors.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Leftovers } from "../../../core/ports/Leftovers.ts"
import { int8 } from "../connection/Sql.ts"
import { isLockTimeout, isLost } from "../connection/SqlFailure.ts"
import { cellOn, dropFrozen } from "./CellSchema.ts"
import { type OwnedCell, stillHeldBy } from "./CopiedRows.ts"
import { removeFrozen, removeTriggers } from "./NodeTransfer.ts"
import { asOwner, type OwnerLayer, reachAsOwner } from "./OwnerConnections.ts"

const cellOf = Schema.decodeUnknownSync(CellName)

/** Whether the cell with the schema `n` is frozen. On a worker of a Citus cluster its balance is a view of a shard. */
const hasFrozenBalance = `exists (
  select
  from pg_class as b
  left join pg_rewrite as w on w.ev_class = b.oid and b.relkind = 'v'
  left join pg_depend as d
    on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
  join pg_trigger as t on t.tgrelid in (b.oid, d.refobjid)
  where b.relnamespace = n.oid and b.relname = 'balance' and t.tgname = 'frozen_cell'
)`

const frozenCells = Effect.fnUntraced(function* (directory: PgClient.PgClient, node: string, there: PgClient.PgClient) {
  const elsewhere = yield* directory<{ name: string }>`
    select c.name
    from directory.cell as c
    where c.node <> ${node} and not exists (select from directory.cell_move as m where m.cell = c.name)`
  const found = yield* there<{ name: string }>`
    select n.nspname::text as name
    from pg_namespace as n
    where n.nspname = any (${elsewhere.map(({ name }) => name)}) and ${there.literal(hasFrozenBalance)}
    order by n.nspname`
  return found.map(({ name }): Leftover => ({ cell: cellOf(name), companyId: null }))
})

const frozenCompanies = Effect.fnUntraced(function* (
  directory: PgClient.PgClient,
  node: string,
  there: PgClient.PgClient
) {
  const cells = yield* directory<{ name: string }>`
    select c.name
    from directory.cell as c
    where c.node = ${node} and not exists (select from directory.cell_move as m where m.cell = c.name)
    order by c.name`
  return yield* Effect.forEach(cells, ({ name }) =>
    Effect.gen(function* () {
      const frozen = yield* there<{ company: bigint }>`
        select company from ${there(name)}.departed where frozen is not null`
      const left = yield* directory<{ id: number }>`
        select c.id::int as id
        from directory.company as c
        where c.id = any (${frozen.map(({ company }) => String(company))}::text[]::bigint[])
          and c.cell <> ${name}
          and not exists (
            select from directory.company_move as m where m.company_id = c.id and ${name} in (m.source, m.target)
          )
        order by c.id`
      return left.map(({ id }): Leftover => ({ cell: cellOf(name), companyId: CompanyId.make(id) }))
    })
  )
})

/**
 * The leftovers on a node: frozen rows that are in another place than the directory names, although no move is in progress.
 */
export const leftoversOn = (directory: PgClient.PgClient, node: string, there: PgClient.PgClient) =>
  Effect.map(
    Effect.all([frozenCells(directory, node, there), frozenCompanies(directory, node, there)]),
    ([cells, companies]) => [...cells, ...companies.flat()]
  )

interface PlaceRow {
  readonly name: string
  readonly node: string
}

/**
 * The place that the directory names for the rows of a leftover. No row if a move is in progress, or if this place is where
 * the leftover is.
 */
const ownPlaceOf = (directory: PgClient.PgClient, node: string, { cell, companyId }: Leftover) =>
  companyId === null
    ? directory<PlaceRow>`
        select c.name, c.node
        from directory.cell as c
        where c.name = ${cell} and c.node <> ${node}
          and not exists (select from directory.cell_move as m where m.cell = c.name)`
    : directory<PlaceRow>`
        select o.name, o.node
        from directory.company as c
        join directory.cell as o on o.name = c.cell
        join directory.cell as l on l.name = ${cell} and l.node = ${node}
        where c.id = ${int8(companyId)} and c.cell <> l.name
          and not exists (select from directory.company_move as m where m.company_id = c.id)
          and not exists (select from directory.cell_move as m where m.cell in (o.name, l.name))`

/**
 * Whether the rows that must be kept exist and can be written: the company's rows in the cell, or the whole cell if
 * `companyId` is null.
 */
const isWhole = Effect.fnUntraced(function* ({ name, sql }: OwnedCell, companyId: CompanyId | null) {
  const [row] =
    companyId === null
      ? yield* sql<{ whole: boolean }>`
          select to_regclass(${`${name}.balance`}) is not null and not ${sql.literal(hasFrozenBalance)} as whole
          from pg_namespace as n
          where n.nspname = ${name}`
      : yield* sql<{ whole: boolean }>`
          select
            exists (select from ${sql(name)}.balance where company_id = ${int8(companyId)})
            and not exists (select from ${sql(name)}.departed where company = ${int8(companyId)}) as whole`
  return row?.whole === true
})

const hasBalance = ({ name, sql }: OwnedCell, companyId: CompanyId) =>
  Effect.map(sql`select from ${sql(name)}.balance where company_id = ${int8(companyId)}`, (rows) => rows.length > 0)

const make = <OE>(owner: OwnerLayer<OE>) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const withOwner = asOwner(owner)
    const reach = reachAsOwner(owner)

    const find: Leftovers["Service"]["find"] = Effect.fnUntraced(function* (node) {
      const { fault } = yield* reach({ node, cell: null })
      if (fault !== null) return yield* new CellsUnreachable({ node, why: fault })
      const found = withOwner((clientOn) => Effect.flatMap(clientOn(node), (there) => leftoversOn(sql, node, there)))
      return yield* Effect.orDie(found)
    })

    // The locks of sql/move.sql. No other process moves the rows until the transaction ends.
    const holdMoves = ({ cell, companyId }: Leftover) =>
      Effect.map(
        sql<{ held: boolean }>`
          select
            pg_try_advisory_xact_lock(7249022, hashtext(${cell}))
            and (${int8(companyId)} is null or pg_try_advisory_xact_lock(7249021, hashint8(${int8(companyId)}))) as held`,
        ([row]) => row?.held === true
      )

    const remove: Leftovers["Service"]["remove"] = (node, leftover) =>
      withOwner(
        Effect.fnUntraced(function* (clientOn) {
          const { cell, companyId } = leftover
          yield* sql`select set_config('idle_in_transaction_session_timeout', '0', true)`
          if (!(yield* holdMoves(leftover))) return false
          const [place] = yield* ownPlaceOf(sql, node, leftover)
          if (place === undefined) return false
          const left = yield* cellOn(clientOn, { name: cell, node })
          const isKept = Effect.catchIf(
            Effect.flatMap(clientOn(place.node), (client) => isWhole({ name: place.name, sql: client }, companyId)),
            isLost,
            () => Effect.succeed(false)
          )
          // Removes a leftover only if the rows in the place that the directory names exist. A company without a balance
          // has no rows.
          if (!(yield* isKept) && (companyId === null || (yield* hasBalance(left, companyId)))) return false
          const stillHeld = stillHeldBy(sql)
          if (companyId === null) {
            yield* dropFrozen(left, stillHeld)
          } else {
            yield* removeFrozen(left, companyId, stillHeld)
            yield* removeTriggers(left, companyId)
          }
          return true
        })
      ).pipe(
        Effect.catchIf(isLockTimeout, () => Effect.succeed(false)),
        Effect.orDie
      )

    return Leftovers.of({ find, remove })
  })

/**
 * `Leftovers` in Postgres.
 *
 * @param owner connections with the logins that own the databases.
 */
export const layer = <OE>(owner: OwnerLayer<OE>) => Layer.effect(Leftovers, make(owner))
