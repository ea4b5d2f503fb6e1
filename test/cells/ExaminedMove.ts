import { PgClient } from "@effect/sql-pg"
import { Cause, Data, DateTime, Duration, Effect, Exit, Fiber, type Layer, Option } from "effect"
import { Statement } from "effect/sql"
import type { DatabaseUnavailable } from "../../adapters/postgres/connection/Database.ts"
import { failureOf } from "../../core/domain/ErrorCatalogue.ts"
import type { Invariant } from "../../core/domain/Invariants.ts"
import type { Order } from "../../core/domain/Sale.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { MovePauses } from "../../core/workflows/MoveCompany.ts"
import { holdingLock } from "../support/Concurrency.ts"
import { violatedInvariants } from "../support/Database.ts"
import { intentOf, opened, reservedOrder } from "../support/SalesOnPostgres.ts"
import { ledgerIn } from "./Frozen.ts"
import { delivered } from "./Trade.ts"
import { connectedToNode, type MovesOnTwoNodes, node, onNode } from "./TwoNodes.ts"

type Ports = Layer.Success<typeof MovesOnTwoNodes>

/** A place in which the rows of a company can be. */
interface Place {
  readonly cell: string
  readonly node: string
}

/** A move of a company, or of its cell. */
export interface Course {
  readonly company: number
  readonly from: Place
  readonly to: Place
  /** Whether the command waits for calls in progress. By default it does not, so servers write late outcomes. */
  readonly awaitsCalls?: boolean
  readonly command: Effect.Effect<unknown, unknown, Ports>
}

/** A change of some statements that a command sends. */
export interface ChangedStatement {
  /** Matches the statements that change. */
  readonly at: RegExp
  /** The statement that is sent instead. */
  readonly instead?: string
  /** A statement that is committed in the directory before the first statement that matches. */
  readonly before?: string
}

/** The invariants that a move must keep, in addition to those of an audit. */
export type MoveInvariant =
  /** The books in the company's place contain each confirmed reservation and settlement, and nothing else. */
  | "confirmed writes are in the books"
  | "ids rise"
  /** Rows of the company cannot be changed in a place that the directory does not name. */
  | "only the named place accepts writes"
  /** A server that does not know of the move is not refused when it writes the outcome of a call that began before the move. */
  | "calls in progress end before the rows move"
  /** A refused call of the moving company gets CompanyClosed, so that the caller repeats it. */
  | "refusals say that the company is closed"
  | "the company sells after the move"
  | "the command ends the move"

/** A move has violated an invariant. */
class Violation extends Data.TaggedError("Violation")<{ readonly invariant: MoveInvariant | Invariant }> {}

/** The statements that change what servers may read or write. The command dies once before each kind of them. */
const points =
  /"\w+"\.(?:close_companies|freeze_table|thaw_table|raise_ids|delete_company|digest_of)\(|(?:insert into|update|delete from) "\w+"\.departed|directory\.(?:place|raise|move)_|setval|drop schema/

/** The statements that ask whether calls of the company, or transactions of its cell, are in progress. */
const awaited = { calls: /as work$/, transactions: /from pg_locks/ } as const

/** Before the third `awaited` statement of its kind in a run, the calls or the transactions end. */
const polls = 3

/** The defect with which the command dies. */
const death = new Error("the command dies")

/** Runs work on the node of a place. */
const inPlace =
  ({ node: where }: Place) =>
  <A, E>(work: Effect.Effect<A, E, Ports>): Effect.Effect<A, E | DatabaseUnavailable, Ports> =>
    where === node ? onNode(work) : work

const sale_centavos = 100
const deposit_centavos = 10_000_000

/** Sales that are pending when the move begins. Servers settle some of them during the move. */
const pending_count = 60

/** The place that the directory names for the company. */
const ownPlace = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<Place>`
    select l.name as cell, l.node
    from directory.company as c
    join directory.cell as l on l.name = c.cell
    where c.id = ${company}`
  return yield* Effect.fromNullishOr(row)
}, Effect.orDie)

const isSame = (one: Place, other: Place): boolean => one.cell === other.cell && one.node === other.node

/** Begins a transaction that stores an option of the company, and leaves it open. Returns an effect that commits it. */
const openTransaction = Effect.fnUntraced(function* ({ company, from: { cell, node: where } }: Course) {
  const begun = holdingLock(`
    insert into "${cell}".option (company_id, id, service_id, identifier, reference, name, price, expires_at)
    values (${company}, 'o1', 1, '8095550123', 'P-1', 'Plan', 100, now() + interval '1 hour')`)
  const { release } = yield* where === node ? Effect.provide(begun, yield* connectedToNode) : begun
  return yield* Effect.cached(release)
})

/** The servers that work for the company during the move. They remember which writes the database has confirmed. */
const makeServers = Effect.fnUntraced(function* (course: Course) {
  const { awaitsCalls = false, company, from, to } = course
  const pending: Array<Order> = []
  const settled = new Set<number>()
  const reserved = new Set<number>()
  let violated: MoveInvariant | null = null
  let calls = 0

  const confirm = (order: Order) => {
    const { transactionId } = order
    if (transactionId <= Math.max(0, ...reserved)) violated ??= "ids rise"
    reserved.add(transactionId)
    pending.push(order)
  }

  /** Settles a pending sale. */
  const settle = Effect.gen(function* () {
    const [order] = pending
    if (order === undefined) return
    const settlement = { order, verdict: delivered, at: yield* DateTime.now, notFound: 0 }
    const written = yield* Effect.exit((yield* Ledger).settle(settlement))
    if (Exit.isFailure(written) && awaitsCalls) violated ??= "calls in progress end before the rows move"
    if (Exit.isFailure(written) || !written.value.won) return
    pending.shift()
    settled.add(order.transactionId)
  })

  const inCellOf =
    (place: Place) =>
    <A, E>(work: Effect.Effect<A, E, Ports>) =>
      work.pipe(Effect.provide(ledgerIn(place.cell)), inPlace(place))

  /** Reserves a sale and settles a pending one, both in this place. Returns whether the sale was reserved. */
  const work = (place: Place) =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const sale = yield* Effect.exit(ledger.reserve(intentOf(company, `durante-${calls++}`, sale_centavos)))
      if (Exit.isSuccess(sale) && sale.value._tag === "Reservation") confirm(sale.value.order)
      if (Exit.isFailure(sale)) {
        const refusal = failureOf(sale.cause)
        if (Option.isSome(refusal) && refusal.value._tag !== "CompanyClosed")
          violated ??= "refusals say that the company is closed"
      }
      yield* settle
      return Exit.isSuccess(sale)
    }).pipe(inCellOf(place))

  const commit = yield* openTransaction(course)
  yield* opened(yield* Ledger, company, deposit_centavos)
  for (let number = 0; number < pending_count; number++) {
    confirm(yield* reservedOrder(yield* Ledger, intentOf(company, `antes-${number}`, sale_centavos)))
  }
  return {
    commit,
    /** One server does not know of the move. Another server knows the new place once the directory names it. */
    work: Effect.gen(function* () {
      yield* work(from)
      if (isSame(yield* ownPlace(company), to)) yield* work(to)
      if (violated !== null) return yield* new Violation({ invariant: violated })
    }),
    sells: Effect.flatMap(ownPlace(company), work),
    /** Settles all pending sales in the old place. */
    settleAll: Effect.suspend(() => Effect.forEach([...pending], () => settle, { discard: true })).pipe(inCellOf(from)),
    /** The text that `booksIn` must return. */
    confirmed: () => {
      const sales = [...reserved].toSorted((a, b) => a - b)
      const statuses = sales.map((id) => `${id} ${settled.has(id) ? "SUCCESS" : "PROCESSING"}`)
      return `${deposit_centavos - sale_centavos * settled.size}: ${statuses.join(", ")}`
    }
  }
})

type Servers = Effect.Success<ReturnType<typeof makeServers>>

/** Whether the row of the balance can be changed in a place. */
const acceptsWrites = (company: number, place: Place) =>
  PgClient.PgClient.use(
    (sql) => sql`
      update ${sql(`${place.cell}.balance`)} set company_id = company_id where company_id = ${company} returning company_id`
  ).pipe(
    inPlace(place),
    Effect.exit,
    Effect.map((exit) => Exit.isSuccess(exit) && exit.value.length > 0)
  )

/** The books of the company as text: its own money and its sales with their statuses. Empty if the place has no books. */
const booksIn = (company: number, place: Place) =>
  PgClient.PgClient.use(
    (sql) => sql<{ text: string }>`
      select b.owned || ': ' || string_agg(t.id || ' ' || t.status, ', ' order by t.id) as text
      from ${sql(`${place.cell}.balance`)} as b
      join ${sql(`${place.cell}.transaction`)} as t using (company_id)
      where b.company_id = ${company}
      group by b.owned`
  ).pipe(
    inPlace(place),
    Effect.exit,
    Effect.map((exit) => (Exit.isSuccess(exit) ? (exit.value[0]?.text ?? "") : ""))
  )

/** Checks the invariants that must hold whenever no command runs. */
const check = Effect.fnUntraced(function* ({ company, from, to }: Course, { confirmed }: Servers) {
  const own = yield* ownPlace(company)
  if ((yield* booksIn(company, own)) !== confirmed())
    return yield* new Violation({ invariant: "confirmed writes are in the books" })
  const other = isSame(own, from) ? to : from
  if (yield* acceptsWrites(company, other))
    return yield* new Violation({ invariant: "only the named place accepts writes" })
  const [violated] = yield* violatedInvariants
  if (violated !== undefined) return yield* new Violation({ invariant: violated.invariant })
})

/**
 * Runs the command. When the command reaches a point for the first or second time in all runs, it waits while the servers work.
 * The first time, the command then dies. Calls and transactions that the command waits for end at the poll number `polls`.
 */
const runOnce = Effect.fnUntraced(function* (
  { command }: Course,
  { commit, settleAll, work }: Servers,
  bug: ReadonlyArray<ChangedStatement>,
  visits: Map<string, number>
) {
  const context = yield* Effect.context<Ports>()
  const asked = { calls: 0, transactions: 0 }
  // Runs work outside the transactions of the command.
  const apart = <A, E>(work: Effect.Effect<A, E, Ports>) =>
    Effect.suspend(() => Fiber.join(Effect.runForkWith(context)(work))).pipe(Effect.orDie)
  const passed = new Set<string>()
  const transformer: Statement.Transformer = Effect.fnUntraced(function* (statement, sql) {
    const [text] = statement.compile()
    if (awaited.calls.test(text) && ++asked.calls === polls) yield* apart(settleAll)
    if (awaited.transactions.test(text) && ++asked.transactions === polls) yield* apart(commit)
    const point = points.exec(text)?.[0]
    const change = bug.find(({ at }) => at.test(text))
    if (change?.before !== undefined && !passed.has(change.before)) {
      passed.add(change.before)
      yield* apart(PgClient.PgClient.use((directory) => directory.unsafe(change.before ?? "")))
    }
    if (point !== undefined && !passed.has(point)) {
      passed.add(point)
      const visit = (visits.get(point) ?? 0) + 1
      visits.set(point, visit)
      if (visit <= 2) yield* apart(work)
      if (visit === 1) return yield* Effect.die(death)
    }
    return change?.instead === undefined ? statement : sql.unsafe(change.instead)
  })
  return yield* Effect.exit(Effect.provideService(command, Statement.CurrentTransformer, transformer))
})

/** Exceeds the number of points and failures of any move. */
const runs_max = 30

/**
 * Moves a company that servers work for, with a command that dies at each of its steps and is repeated.
 *
 * @param bug changes of the command's statements.
 * @returns the first violated invariant, or null if all hold. `failures` counts the runs that failed without `death`.
 */
export const examine = (course: Course, bug: ReadonlyArray<ChangedStatement> = []) => {
  const visits = new Map<string, number>()
  const pauses = { directory: Duration.zero, inFlight_max: Duration.seconds(course.awaitsCalls === true ? 60 : 0) }
  let failures = 0
  return Effect.gen(function* () {
    const servers = yield* makeServers(course)
    let exit = yield* runOnce(course, servers, bug, visits)
    for (let run = 1; Exit.isFailure(exit) && run < runs_max; run++) {
      const cause = Cause.squash(exit.cause)
      if (cause instanceof Violation) return yield* cause
      if (cause !== death) failures++
      yield* check(course, servers)
      exit = yield* runOnce(course, servers, bug, visits)
    }
    if (Exit.isFailure(exit)) return yield* new Violation({ invariant: "the command ends the move" })
    yield* servers.commit
    yield* check(course, servers)
    if (!(yield* servers.sells)) return yield* new Violation({ invariant: "the company sells after the move" })
    yield* servers.work
    yield* check(course, servers)
    return null
  }).pipe(
    Effect.provideService(MovePauses, pauses),
    Effect.catchTag("Violation", ({ invariant }) => Effect.succeed(invariant)),
    Effect.map((violated) => ({ failures, points: [...visits.keys()], violated }))
  )
}
