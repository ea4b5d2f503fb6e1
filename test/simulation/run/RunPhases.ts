import { DateTime, Effect } from "effect"
import { ConfirmAbove } from "../../../core/domain/FundingProposal.ts"
import { dayOf, daysBefore } from "../../../core/domain/LocalTime.ts"
import { isUnresolved } from "../../../core/domain/Status.ts"
import { closeThrough } from "../../../core/workflows/CloseDays.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import type { Activity } from "../engine/Faults.ts"
import { describeExit } from "../engine/OutsideCall.ts"
import {
  addTraceLine,
  type FinalEvents,
  type ObservedReversal,
  type ObservedSale,
  reportViolation,
  type Simulation
} from "../engine/Simulation.ts"
import { checkRefusals } from "../invariants/CellInvariants.ts"
import {
  checkDoneOnce,
  checkOperatorEntries,
  checkSettledAndCharged,
  type ExternalRecords
} from "../invariants/FinalInvariants.ts"
import type { Invariants } from "../invariants/Invariants.ts"
import { type ClientContext, insure, lookUpAndBuy, reverseSale, sell } from "../operations/Clients.ts"
import { openingAlertOf, openingDepositOf } from "../operations/GenerateOperations.ts"
import { describeAction, type Operation } from "../operations/Operation.ts"
import {
  adjust,
  type BackOffice,
  confirmRest,
  correctBalance,
  makeDeposit,
  resolveReversal,
  resolveSale,
  setCellState,
  setLimits
} from "../operations/Operators.ts"
import { deleteTemporary, eventPlansOf, openWebhooks, replayEvent, setAlert } from "../operations/Webhooks.ts"
import { companies } from "../process/CompaniesAndCatalogue.ts"
import type { WorkflowServices } from "../process/Process.ts"
import type { Store } from "../process/Store.ts"
import type { Cluster } from "./Cluster.ts"

/** A call to the server, and the activity for which its fibers work. */
interface ServerCall {
  readonly activity: Activity
  readonly work: Effect.Effect<unknown, unknown, WorkflowServices>
}

/** Closes the days that are over by the clock of the process, without the delay after midnight. */
const closePastDays = Effect.fnUntraced(function* (sim: Simulation) {
  const { mismatches, stored } = yield* closeThrough(daysBefore(dayOf(yield* DateTime.now), 1))
  for (const { companyId, day, problems } of mismatches)
    reportViolation(sim, "a closing adds up", `company ${companyId}, ${day}: ${JSON.stringify(problems)}`)
  return stored
})

/** The call that an operation makes to the server; null if it makes no call. */
const serverCallOf = (
  sim: Simulation,
  callers: ClientContext,
  office: BackOffice,
  op: Operation
): ServerCall | null => {
  switch (op.do) {
    case "sell":
      return { activity: "sale", work: sell(callers, op) }
    case "buy":
      return { activity: "lookup", work: lookUpAndBuy(callers, op) }
    case "insure":
      return { activity: "insurance", work: insure(callers, op) }
    case "reverse":
      return { activity: "reversal", work: reverseSale(op) }
    case "deposit":
      return { activity: "operator", work: makeDeposit(office, op) }
    case "correct":
      return { activity: "operator", work: correctBalance(office, op) }
    case "confirm rest":
      return { activity: "operator", work: confirmRest(op) }
    case "limit":
      return { activity: "operator", work: setLimits(op) }
    case "adjust":
      return { activity: "sandbox", work: adjust(op) }
    case "alert":
      return { activity: "operator", work: setAlert(op) }
    case "delete webhook":
      return { activity: "deliveries", work: deleteTemporary(op) }
    case "replay":
      return { activity: "deliveries", work: replayEvent(op) }
    case "resolve":
      return { activity: "operator", work: resolveSale(office, op) }
    case "resolve reversal":
      return { activity: "operator", work: resolveReversal(office, op) }
    case "close":
      return { activity: "closings", work: closePastDays(sim) }
    case "close cell":
    case "open cell":
      return { activity: "operator", work: setCellState(op) }
    case "reconcile":
      return { activity: "recovery", work: recover("all") }
    case "kill":
    case "wait":
      return null
  }
}

const minute_ms = 60_000

/** Length of each part of the opening phase. */
const openingPart_ms = 500

/** Minimum age of an unresolved sale or reversal before operators resolve it. */
const stuckAfter_ms = 15 * minute_ms

/**
 * Faults continue for `faultyTail_ms` after the last operation. Then the faults stop, and every sale and reversal must
 * be settled within `rest_ms`.
 */
const faultyTail_ms = 2 * minute_ms
const rest_ms = 75 * minute_ms

/** Longest time of all ten attempts of a delivery. */
const attempts_max_ms = 100 * 60 * minute_ms

/** Runs all events up to the given time. */
export type AdvanceTime = (until_ms: number) => Promise<void>

/**
 * Adds the webhooks of the companies, then sets their alert values and deposits their opening balances. No fault happens
 * in this phase.
 */
export const openCompanies = async (
  sim: Simulation,
  cluster: Cluster,
  office: BackOffice,
  advance: AdvanceTime
): Promise<void> => {
  sim.faults.stopped = true
  for (const plan of eventPlansOf(sim.seed))
    cluster.serving(0)?.start(openWebhooks(plan), { activity: "operator", name: `webhooks ${plan.companyId}` })
  await advance(openingPart_ms)
  for (const { id } of companies) {
    const op = { company: id, id: -id, at_ms: 0, replica: 0 }
    const opening = { centavos: openingDepositOf(sim.seed), reference: `apertura-${id}`, decision: "both" } as const
    // No opening deposit needs a second operator.
    const deposit = Effect.provideService(makeDeposit(office, { ...op, do: "deposit", ...opening }), ConfirmAbove, null)
    const alert = { ...op, do: "alert", centavos: openingAlertOf(sim.seed, id) } as const
    cluster.serving(0)?.start(deposit, { activity: "operator", name: `opening ${id}` })
    cluster.serving(0)?.start(setAlert(alert), { activity: "operator", name: `alert ${id}` })
  }
  await advance(2 * openingPart_ms)
  sim.faults.stopped = false
}

/** Starts every operation at its time, without waiting for the result of the previous operation. */
export const performOperations = async (
  sim: Simulation,
  cluster: Cluster,
  ops: ReadonlyArray<Operation>,
  callers: ClientContext,
  office: BackOffice,
  advance: AdvanceTime
): Promise<void> => {
  const refusals = checkRefusals(sim)
  for (const op of ops) {
    await advance(op.at_ms)
    if (sim.violation !== null) return
    if (op.do === "close cell") refusals.closing(op.cell)
    const name = `op ${op.id}`
    addTraceLine(sim, name, describeAction(op))
    const process = cluster.serving(op.replica)
    if (process === null) addTraceLine(sim, name, "no replica is running")
    else if (op.do === "kill") cluster.kill(process.incarnation, op.down_ms)
    else {
      const asked = serverCallOf(sim, callers, office, op)
      if (asked === null) continue
      process.start(asked.work, { activity: asked.activity, name }, (fiber) =>
        fiber.addObserver((exit) => {
          addTraceLine(sim, name, describeExit(exit))
          if ("company" in op) refusals.answered(op.company, exit)
        })
      )
    }
  }
}

/** Opens the cells that operators have closed. An operator whose server has died may have left some of them closed. */
const openCells = (cluster: Cluster, ops: ReadonlyArray<Operation>): void => {
  for (const op of ops)
    if (op.do === "open cell")
      cluster.serving(0)?.start(setCellState(op), { activity: "operator", name: `opening of ${op.cell} ${op.id}` })
}

/** Stops all faults, starts all processes, opens all cells, and advances the time until every sale and reversal must be settled. */
export const letEverythingSettle = async (
  sim: Simulation,
  cluster: Cluster,
  ops: ReadonlyArray<Operation>,
  advance: AdvanceTime
): Promise<void> => {
  await advance(sim.eventLoop.now_ms + faultyTail_ms)
  sim.faults.stopped = true
  sim.outageUntil_ms = 0
  cluster.heal()
  openCells(cluster, ops)
  await advance(sim.eventLoop.now_ms + rest_ms)
}

/** Advances the time until every delivery has ended. The run must be at rest. */
export const endDeliveries = async (
  { eventLoop }: Simulation,
  { audit, due }: Store,
  advance: AdvanceTime
): Promise<void> => {
  const end_ms = eventLoop.now_ms + attempts_max_ms
  do await advance(eventLoop.now_ms + 60 * minute_ms)
  while (due("deliveries") !== null && eventLoop.now_ms < end_ms)
  await audit()
}

/** Closes every past day, and audits all books. The run must be at rest. */
export const closeAllDays = async (
  sim: Simulation,
  cluster: Cluster,
  { audit }: Store,
  advance: AdvanceTime
): Promise<void> => {
  cluster.serving(0)?.start(closePastDays(sim), { activity: "closings", name: "final closings" })
  await advance(sim.eventLoop.now_ms + minute_ms)
  await audit()
}

/** Checks the events and deliveries when every delivery has ended. */
export const checkFinalEvents = ({ deliveries, events }: Invariants, final: FinalEvents): void => {
  for (const event of final.events) events.read(event)
  deliveries.atRest(final.deliveries)
}

const allSales = (sim: Simulation): ReadonlyArray<ObservedSale> =>
  companies.flatMap(({ id }) => [...sim.store.view.sales(id)])

const allUndecided = (sim: Simulation): ReadonlyArray<ObservedReversal> =>
  companies.flatMap(({ id }) => [...sim.store.view.undecided(id)])

/** Checks the invariants of the final state, in which every sale and reversal must be settled. */
export const checkFinalState = (
  sim: Simulation,
  invariants: Invariants,
  outside: Omit<ExternalRecords, "raised">
): void => {
  const seen = { ...outside, raised: invariants.alerts.raisedAtOnce }
  checkDoneOnce(sim, seen)
  checkSettledAndCharged(sim, { sales: allSales(sim), undecided: allUndecided(sim).map(({ xid }) => xid) }, seen)
  for (const { id } of companies) checkOperatorEntries(sim, id, sim.store.view.byHand(id), seen)
  invariants.alerts.atRest()
}

/**
 * The data that operators use to resolve stuck sales and reversals: the list of unresolved sales and reversals, and the
 * suppliers' own records.
 */
export const backOfficeOf = (
  sim: Simulation,
  outside: Pick<BackOffice, "byHand" | "operatorErrors" | "reversals" | "sales">
): BackOffice => {
  const isOld = ({ createdAt }: { readonly createdAt: DateTime.Utc }): boolean =>
    sim.epoch_ms + sim.eventLoop.now_ms - DateTime.toEpochMillis(createdAt) > stuckAfter_ms
  return {
    ...outside,
    stuckSales: () => allSales(sim).filter((sale) => isUnresolved(sale) && isOld(sale.order)),
    stuckReversals: () => allUndecided(sim).filter(isOld)
  }
}
