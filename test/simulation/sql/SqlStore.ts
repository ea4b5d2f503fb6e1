import { setImmediate } from "node:timers/promises"
import { Duration } from "effect"
import { directoryAge_max } from "../../../core/domain/Cell.ts"
import { SeededRandom } from "../../support/SeededRandom.ts"
import type { Incarnation } from "../engine/EventLoop.ts"
import type { WorkflowStep } from "../engine/Faults.ts"
import type { DatabaseObserver, Simulation } from "../engine/Simulation.ts"
import { simulatedCells } from "../process/CompaniesAndCatalogue.ts"
import type { BackgroundLoop, Store } from "../process/Store.ts"
import { begunWhileClosed, closedCells } from "./ClosedCells.ts"
import { commitReader } from "./CommitLog.ts"
import {
  deliveryDueTime,
  dueTimes,
  emptySnapshot,
  failedInvariants,
  readFinalEvents,
  takeSnapshot,
  zeroMoney
} from "./DatabaseSnapshot.ts"
import type { InProcessPostgres } from "./InProcessPostgres.ts"
import { type AdapterBug, productionAdapters } from "./ProductionAdapters.ts"
import {
  type ConnectionHandler,
  conflictError,
  greeting,
  rollback,
  type WireSocket,
  type WireStatement
} from "./WireProtocol.ts"

const otherCell = new RegExp(`"(?:${simulatedCells.slice(1).join("|")})"`, "g")

/** The statement with the name of the first cell in place of any other cell, so that one text identifies it in every cell. */
const inFirstCell = (sql: string): string => sql.replaceAll(otherCell, `"${simulatedCells[0]}"`)

/** Statements that an adapter retries after a rollback. The first text that a statement contains decides its step. */
const retriedStatements: ReadonlyArray<readonly [string, WorkflowStep]> = [
  ['"cell".reserve(', "wire: reserve"],
  ['"cell".settle(', "wire: settle"],
  ["directory.deposit(", "wire: deposit"],
  ["directory.adjust(", "wire: adjust"],
  ['"cell".begin_reversal(', "wire: begin reversal"],
  ['"cell".settle_reversal(', "wire: settle reversal"],
  ['"cell".end_day(', "wire: end day"],
  ['"cell".add_closing(', "wire: add closing"],
  ["disables boolean", "wire: record delivery"],
  ["recorded as (", "wire: record"]
]

const stepOf = (statement: string): WorkflowStep | null => {
  const sql = inFirstCell(statement)
  return retriedStatements.find(([part]) => sql.includes(part))?.[1] ?? null
}

/**
 * The connection of one process to the server, with faults. If the connection is cut before the commit, or a conflict
 * occurs, the transaction has no effect. If it is cut after the commit, the process receives no response.
 *
 * @param ran receives the SQL of every executed statement.
 */
const faultyConnection = (
  sim: Simulation,
  incarnation: Incarnation,
  server: InProcessPostgres,
  ran: (sql: string) => void
): ConnectionHandler => {
  const { faults, trace, eventLoop } = sim
  const later = (wire: WireSocket) => eventLoop.soon(incarnation, () => wire.arrive())
  const say = (wire: WireSocket, bytes: Uint8Array) => {
    wire.send(bytes)
    later(wire)
  }
  const cut = (wire: WireSocket) => {
    wire.cut()
    later(wire)
  }
  const run = ({ bytes, sql }: WireStatement): Uint8Array => {
    const answer = server.run(bytes)
    // All connections share one session, so a transaction must not stay open until the next statement of its connection.
    // The adapters' transactions contain one statement that writes, which therefore commits alone.
    if (begins(sql)) server.run(rollback)
    ran(sql)
    return answer
  }
  return {
    greet: (wire) => say(wire, greeting),
    respond: (wire, statement) => {
      if (incarnation.dead) return
      if (eventLoop.now_ms < sim.outageUntil_ms) return cut(wire)
      const step = stepOf(statement.sql)
      const fault = step === null ? null : faults.at(step, incarnation.name)
      if (fault !== null)
        trace.add({ at_ms: eventLoop.now_ms, where: incarnation.name, what: `${step}: ${fault}`, fault })
      switch (fault) {
        case "cut before commit":
          return cut(wire)
        case "conflict":
          return say(wire, conflictError)
        case "cut after commit":
          run(statement)
          return cut(wire)
        default:
          return say(wire, run(statement))
      }
    }
  }
}

/** Maximum time until a process learns that a cell is closed. */
const directoryAge_max_ms = Duration.toMillis(directoryAge_max)

/** Number of statements after which the whole database is read again. Statements that only read do not count. */
const snapshotEvery = 40

/**
 * Whether a statement changes limits. A snapshot must follow immediately, because the new limits apply to the next
 * sale.
 */
const changesLimits = (sql: string): boolean =>
  sql.includes("limit_daily") && sql.includes('insert into "cell".balance')

const changesCells = (sql: string): boolean => sql.includes("update directory.cell")

const begins = (sql: string): boolean => /^begin\b/i.test(sql)

/**
 * Whether a statement begins or ends a transaction, or calls `set_config`. A statement with `set_config` writes no rows: it
 * only changes a setting, or reads the rows of one company under row-level security.
 */
const isReadOnly = (sql: string): boolean =>
  begins(sql) || /^(?:commit|rollback)\b/i.test(sql) || sql.includes("set_config('")

/** Whether a statement belongs to the later checks of settled sales, which write only their own progress. */
const isOfFollowUp = (sql: string): boolean =>
  sql.includes('"cell".follow_up') || sql.includes("environment = 'production'")

/** Whether a statement only changes an insurance, and so creates no work for the background loops. */
const touchesOnlyInsurance = (sql: string): boolean =>
  sql.includes('"cell".insurance') && !/"cell"\.(?:transaction|reversal|sms|reserve|settle)/.test(sql)

/** Whether a statement only claims, reads or records deliveries, and so changes neither money nor other work. */
const touchesOnlyDeliveries = (sql: string): boolean =>
  sql.includes('"cell".delivery') || sql.includes("as w(company_id, sequence)")

/**
 * A store on the SQL functions in an in-process Postgres, with the production adapters and driver. Faults hit the
 * connection between driver and server.
 */
export const sqlStore =
  (server: InProcessPostgres, bug: AdapterBug = {}) =>
  (watch: DatabaseObserver): Store => {
    let snapshot = emptySnapshot
    let checks: Array<() => void> = []
    /** Number of statements since the last snapshot. */
    let statementsSinceSnapshot = 0
    let isUrgent = false
    let isDueKnown = false
    let isDeliveryDueKnown = false
    let due: Readonly<Record<BackgroundLoop, number | null>> = {
      recovery: null,
      "follow-up": null,
      messages: null,
      deliveries: null
    }
    const commits = commitReader()
    let haveCellsChanged = false
    /** The closed cells after each change. */
    const closings: Array<{ readonly at_ms: number; readonly closed: ReadonlySet<string> }> = []

    const look = async () => {
      statementsSinceSnapshot = 0
      isUrgent = false
      snapshot = await server.observe(takeSnapshot)
      for (const sales of snapshot.sales.values()) watch.seen(sales)
      for (const commit of await server.observe(commits.next)) watch.committed(commit)
      const waiting = checks
      checks = []
      for (const check of waiting) check()
      for (const { invariant, what } of await server.observe(failedInvariants)) watch.unsound(invariant, what)
      for (const what of await server.observe(begunWhileClosed)) watch.unsound("nothing begins in a closed cell", what)
    }

    const ran = (statement: string) => {
      const sql = inFirstCell(statement)
      if (isReadOnly(sql)) return
      haveCellsChanged ||= changesCells(sql)
      isDeliveryDueKnown &&= touchesOnlyInsurance(sql)
      if (touchesOnlyDeliveries(sql)) return
      isDueKnown &&= touchesOnlyInsurance(sql)
      if (isOfFollowUp(sql)) return
      statementsSinceSnapshot++
      isUrgent ||= changesLimits(sql)
    }

    return {
      books: null,
      // A response passes through the driver of a process. The process may be paused, so responses can arrive out of
      // order.
      areResponsesOrdered: false,
      view: {
        balance: (companyId) => (snapshot.money.get(companyId) ?? zeroMoney).balance,
        limits: (companyId) => (snapshot.money.get(companyId) ?? zeroMoney).limits,
        sales: (companyId) => snapshot.sales.get(companyId) ?? [],
        byHand: (companyId) => snapshot.byHand.get(companyId) ?? [],
        undecided: (companyId) => snapshot.undecided.get(companyId) ?? []
      },
      open: (sim, incarnation, machine) => {
        const { eventLoop, seed } = sim
        const delay_ms = new SeededRandom(seed, `directory ${incarnation.name}`).between(0, directoryAge_max_ms)
        const closed = () => closings.findLast(({ at_ms }) => at_ms <= eventLoop.now_ms - delay_ms)?.closed ?? new Set()
        return productionAdapters(machine, faultyConnection(sim, incarnation, server, ran), { bug, closed })
      },
      due: (loop) => due[loop],
      wrote: () => {},
      look: (check) => void checks.push(check),
      settle: async ({ eventLoop }) => {
        // The driver never sets a timer of the machine, so it has finished all its work after `setImmediate`.
        await setImmediate()
        if (haveCellsChanged) {
          haveCellsChanged = false
          closings.push({ at_ms: eventLoop.now_ms, closed: await server.observe(closedCells) })
        }
        if (isUrgent || statementsSinceSnapshot >= snapshotEvery) await look()
        if ((isDueKnown && isDeliveryDueKnown) || !eventLoop.asksLoops()) return
        if (!isDueKnown) due = { ...due, ...(await server.observe(dueTimes)) }
        if (!isDeliveryDueKnown) due = { ...due, deliveries: await server.observe(deliveryDueTime) }
        isDueKnown = true
        isDeliveryDueKnown = true
      },
      audit: look,
      finalEvents: () => server.observe(readFinalEvents)
    }
  }
