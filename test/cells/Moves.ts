import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Exit, Layer, Option } from "effect"
import * as CellDirectoryPostgres from "../../adapters/postgres/cells/CellDirectoryPostgres.ts"
import * as CellMovesPostgres from "../../adapters/postgres/cells/CellMovesPostgres.ts"
import * as CompanyMovesPostgres from "../../adapters/postgres/cells/CompanyMovesPostgres.ts"
import * as LeftoversPostgres from "../../adapters/postgres/cells/LeftoversPostgres.ts"
import type { OwnerLayer } from "../../adapters/postgres/cells/OwnerConnections.ts"
import * as AtomicPostgres from "../../adapters/postgres/connection/AtomicPostgres.ts"
import * as AuditLogPostgres from "../../adapters/postgres/directory/AuditLogPostgres.ts"
import * as CompaniesPostgres from "../../adapters/postgres/directory/CompaniesPostgres.ts"
import * as AuditPostgres from "../../adapters/postgres/reads/AuditPostgres.ts"
import { CellName, NodeName } from "../../core/domain/Cell.ts"
import { failureOf } from "../../core/domain/ErrorCatalogue.ts"
import { expiryOf } from "../../core/domain/FundingProposal.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { Amount } from "../../core/domain/Money.ts"
import { Finding } from "../../core/domain/Resolution.ts"
import { ReversalVerdict } from "../../core/domain/Reversal.ts"
import type { Order } from "../../core/domain/Sale.ts"
import { Adjustments } from "../../core/ports/Accounts.ts"
import { CellDirectory } from "../../core/ports/CellDirectory.ts"
import { CellMoves } from "../../core/ports/CellMoves.ts"
import { CompanyMoves } from "../../core/ports/CompanyMoves.ts"
import { FundingProposals } from "../../core/ports/FundingProposals.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Resolutions } from "../../core/ports/Resolutions.ts"
import { Reversals } from "../../core/ports/Reversals.ts"
import { closeThrough } from "../../core/workflows/CloseDays.ts"
import { companyOf } from "../../core/workflows/ManageCompany.ts"
import { moveCell } from "../../core/workflows/MoveCell.ts"
import { type MoveOptions, MovePauses, moveCompany } from "../../core/workflows/MoveCompany.ts"
import { begunOn, intentOf, reservedOrder, reversalOf } from "../support/SalesOnPostgres.ts"
import { portsOfCells, ThreeCells } from "./ThreeCells.ts"
import { delivered, trade } from "./Trade.ts"

/**
 * The ports of an operator who moves companies and cells. Moves have no pauses, so the caches of servers are outdated during
 * a move.
 *
 * @param owner the connections of the database owner.
 */
export const portsOfMoves = <E>(owner: OwnerLayer<E>) =>
  Layer.mergeAll(
    AtomicPostgres.layer,
    AuditLogPostgres.layer,
    AuditPostgres.layer,
    CellDirectoryPostgres.layer(owner),
    CellMovesPostgres.layer(owner),
    CompaniesPostgres.layer,
    CompanyMovesPostgres.layer(owner),
    LeftoversPostgres.layer(owner),
    Layer.succeed(MovePauses, { directory: Duration.zero, inFlight_max: Duration.zero })
  )

const noOwner = Layer.effectContext(Effect.die(new Error("no cell is added, and no company moves to another node")))

/** Three cells, with the ports of a server and of an operator. */
export const MovesOnThreeCells = Layer.merge(portsOfCells, portsOfMoves(noOwner)).pipe(Layer.provideMerge(ThreeCells))

/** Moves a company of the test. */
export const move = (company: number, cell: string, options?: MoveOptions) =>
  moveCompany(CompanyId.make(company), CellName.make(cell), options)

/** Moves a cell of the test. */
export const moveCellTo = (cell: string, node: string, options?: MoveOptions) =>
  moveCell(CellName.make(cell), NodeName.make(node), options)

/** Runs a command. Returns "done" or the tag of its refusal. Any other failure fails the test. */
export const tagOf = <A, E extends { readonly _tag: string }, R>(command: Effect.Effect<A, E, R>) =>
  Effect.match(command, { onFailure: ({ _tag }): string => _tag, onSuccess: () => "done" })

/** Runs the commands of several operators at the same time. */
export const together = { concurrency: "unbounded" } as const

/** Asserts that each command has ended or was refused with one of the tags, and that some command has ended. */
export const assertEnded = (results: ReadonlyArray<string>, refusals: ReadonlyArray<string>) => {
  assert.isEmpty(results.filter((result) => result !== "done" && !refusals.includes(result)))
  assert.include(results, "done")
}

/** Finishes the move of a company if it has not ended. */
export const endMove = (company: number) =>
  Effect.flatMap(
    CompanyMoves.use(({ find }) => find(CompanyId.make(company))),
    Option.match({ onNone: () => Effect.void, onSome: ({ target }) => Effect.asVoid(move(company, target)) })
  )

/** Ends the move of a cell that no operator has ended. */
export const endCellMove = (name: CellName) =>
  Effect.flatMap(
    CellMoves.use(({ find }) => find(name)),
    Option.match({ onNone: () => Effect.void, onSome: ({ target }) => Effect.asVoid(moveCellTo(name, target)) })
  )

/** The place and the state of a cell in the directory. */
export const placeOf = (name: string) =>
  Effect.flatMap(CellDirectory, ({ list }) =>
    Effect.map(list, (cells) => {
      const cell = cells.find((each) => each.name === name)
      return { node: `${cell?.node}`, state: cell?.state, movingTo: cell?.movingTo }
    })
  )

/** Begins a move, as the command does before its first pause. */
export const beginMove = Effect.fnUntraced(function* (company: number, target: string) {
  const moves = yield* CompanyMoves
  const companyId = CompanyId.make(company)
  assert.isTrue(yield* moves.begin(yield* companyOf(companyId), CellName.make(target), yield* DateTime.now))
  const begun = yield* Effect.flatMap(moves.find(companyId), Effect.fromOption)
  assert.isTrue(yield* moves.close(begun, yield* DateTime.now))
  return begun
})

/** Begins a move of the cell `sur`, as the command does before its first pause. */
export const beginCellMove = Effect.fnUntraced(function* (source: string, target: string) {
  const moves = yield* CellMoves
  const places = { name: CellName.make("sur"), source: NodeName.make(source), target: NodeName.make(target) }
  assert.isTrue(yield* moves.begin(places, yield* DateTime.now))
  return { ...places, wasOpen: true }
})

/** Reserves a sale. Returns "sold", or the tag of the refusal that the caller receives. */
export const sells = Effect.fnUntraced(function* (company: number, key: string) {
  const sale = yield* Effect.exit((yield* Ledger).reserve(intentOf(company, key, 100)))
  return Exit.isSuccess(sale) ? "sold" : Option.getOrThrow(failureOf(sale.cause))._tag
})

/** The actions in the audit log about moves of a company. */
export const actionsOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ action: string }>`
    select action from directory.audit_event where company_id = ${company} and action like 'company_move%' order by id`
  return rows.map(({ action }) => action)
})

/** All rows of a company in a cell, by table. Tables without rows are left out. */
export const rowsOf = Effect.fnUntraced(function* (cell: string, company: number) {
  const sql = yield* PgClient.PgClient
  const tables = yield* sql<{ name: string }>`select name from ${sql(cell)}.tables_to_move(false) order by name`
  const found = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(
      sql<{ row: string }>`
        select (to_jsonb(t) - 'ctid')::text as row from ${sql(`${cell}.${name}`)} as t where company_id = ${company} order by 1`,
      (rows) => [name, rows.map(({ row }) => row)] as const
    )
  )
  return Object.fromEntries(found.filter(([, rows]) => rows.length > 0))
})

/** Makes two proposals that stay pending: a deposit, and the outcome of the pending sale. */
const proposeBoth = Effect.fnUntraced(function* (companyId: CompanyId, pending: Order) {
  const proposals = yield* FundingProposals
  const at = yield* DateTime.now
  yield* proposals.propose({
    companyId,
    kind: "deposit",
    amount: 700,
    reference: `later-${companyId}`,
    isRepeated: false,
    reason: null,
    proposedBy: "ana",
    proposedAt: at,
    expiresAt: expiryOf(at)
  })
  const resolutions = yield* Resolutions
  yield* resolutions.propose(pending, {
    finding: Finding.cases.Failed.make({}),
    reversalId: null,
    reason: "the provider does not know it",
    proposedBy: "ana",
    proposedAt: at
  })
})

/** Stores an option of a lookup, as a server does. */
export const offered = (cell: string, company: number) =>
  PgClient.PgClient.use(
    (sql) => sql`
      insert into ${sql(`${cell}.option`)} (company_id, id, service_id, identifier, reference, name, price, expires_at)
      values (${company}, 'o1', 1, '8095550123', 'P-1', 'Plan', 100, now() + interval '1 hour')`
  )

/**
 * A company with rows in every table of its cell. It has the rows that `trade` makes, enough sales to fill list blocks, a
 * pending reversal, pending proposals, an option, and closings up to today.
 */
export const busyCompany = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const companyId = CompanyId.make(company)
  const orders = yield* trade(company)
  const ledger = yield* Ledger
  for (let number = 1; number <= 8; number++) {
    const order = yield* reservedOrder(ledger, intentOf(company, `b${number}`, 100))
    yield* ledger.settle({ order, verdict: delivered, at: yield* DateTime.now, notFound: 0 })
  }
  const [, sold, , , pending] = orders
  if (sold === undefined || pending === undefined) return yield* Effect.die(new Error("five sales are expected"))
  const reversals = yield* Reversals
  const unresolved = yield* begunOn(reversals, reversalOf(sold, "r2"))
  const at = yield* DateTime.now
  yield* reversals.settle({ unresolved, verdict: ReversalVerdict.Hold(), at, notFound: 0 })
  yield* proposeBoth(companyId, pending)
  yield* (yield* Adjustments).adjust({ companyId, goal: Amount.make(50_000), reference: "reset", since: at, at })
  const [row] = yield* sql<{ cell: string }>`select cell from directory.company where id = ${company}`
  yield* offered(`${row?.cell}`, company)
  yield* closeThrough(periodsAt(at).day, { only: companyId })
  return { pending, unresolved }
})
