import { DateTime } from "effect"
import { isUnresolved } from "../../core/domain/Status.ts"
import { wordsOf } from "../engine/Call.ts"
import type { ReversalSeen, SaleSeen } from "../engine/Observed.ts"
import { type Sim, say } from "../engine/Sim.ts"
import { atRest, byHandOnce, type Outside, onceOutside } from "../laws/AtRest.ts"
import type { Laws } from "../laws/Laws.ts"
import type { Callers } from "../ops/Client.ts"
import { openingOf } from "../ops/Generate.ts"
import { inWords, type Op } from "../ops/Op.ts"
import { type BackOffice, pay } from "../ops/Operators.ts"
import { askedBy } from "../ops/Perform.ts"
import { companies } from "../process/Directory.ts"
import type { Cluster } from "./Cluster.ts"

const minute_ms = 60_000

/** Length of the opening phase. Every company has its opening deposit when it ends. */
const opened_ms = 500

/** Minimum age of an unresolved sale or reversal before operators resolve it. */
const stuckAfter_ms = 15 * minute_ms

/**
 * Faults continue for `afterglow_ms` after the last operation. Then they stop, and everything must be settled within
 * `rest_ms`.
 */
const afterglow_ms = 2 * minute_ms
const rest_ms = 75 * minute_ms

/** Runs all events up to the given time. */
export type Advance = (until_ms: number) => Promise<void>

/** Deposits the opening balance of every company. No fault happens in this phase. */
export const open = async (sim: Sim, cluster: Cluster, office: BackOffice, advance: Advance): Promise<void> => {
  sim.mishaps.over = true
  const centavos = openingOf(sim.seed)
  for (const { id } of companies) {
    const op = { do: "deposit", company: id, centavos, reference: "apertura", id: -id, at_ms: 0, replica: 0 } as const
    cluster.serving(0)?.start(pay(office, op), { activity: "operator", name: `opening ${id}` })
  }
  await advance(opened_ms)
  sim.mishaps.over = false
}

/** Starts every operation at its time, without waiting for the result of the one before. */
export const perform = async (
  sim: Sim,
  cluster: Cluster,
  ops: ReadonlyArray<Op>,
  callers: Callers,
  office: BackOffice,
  advance: Advance
): Promise<void> => {
  for (const op of ops) {
    await advance(op.at_ms)
    if (sim.violation !== null) return
    const name = `op ${op.id}`
    say(sim, name, inWords(op))
    const process = cluster.serving(op.replica)
    if (process === null) say(sim, name, "nobody answers")
    else if (op.do === "kill") cluster.kill(process.incarnation, op.down_ms)
    else {
      const asked = askedBy(callers, office, op)
      if (asked === null) continue
      process.start(asked.work, { activity: asked.activity, name }, (fiber) =>
        fiber.addObserver((exit) => say(sim, name, wordsOf(exit)))
      )
    }
  }
}

/** Stops all faults, starts all processes, and lets time pass until everything must be settled. */
export const comeToRest = async (sim: Sim, cluster: Cluster, advance: Advance): Promise<void> => {
  await advance(sim.world.now_ms + afterglow_ms)
  sim.mishaps.over = true
  sim.outageUntil_ms = 0
  cluster.heal()
  await advance(sim.world.now_ms + rest_ms)
}

const allSales = (sim: Sim): ReadonlyArray<SaleSeen> => companies.flatMap(({ id }) => [...sim.store.eyes.sales(id)])

const allUndecided = (sim: Sim): ReadonlyArray<ReversalSeen> =>
  companies.flatMap(({ id }) => [...sim.store.eyes.undecided(id)])

/** Checks the invariants of the final state, when everything must be settled. */
export const judge = (sim: Sim, laws: Laws, outside: Omit<Outside, "raised">): void => {
  const seen = { ...outside, raised: laws.alerts.raised }
  onceOutside(sim, seen)
  atRest(sim, { sales: allSales(sim), undecided: allUndecided(sim).map(({ xid }) => xid) }, seen)
  for (const { id } of companies) byHandOnce(sim, id, sim.store.eyes.byHand(id), seen)
  laws.alerts.atRest()
}

/**
 * The data that operators use to resolve stuck sales and reversals: the unresolved ones, and the suppliers' own
 * records.
 */
export const backOfficeOf = (
  sim: Sim,
  outside: Pick<BackOffice, "byHand" | "operatorErrors" | "reversals" | "sales">
): BackOffice => {
  const isOld = ({ createdAt }: { readonly createdAt: DateTime.Utc }): boolean =>
    sim.epoch_ms + sim.world.now_ms - DateTime.toEpochMillis(createdAt) > stuckAfter_ms
  return {
    ...outside,
    stuckSales: () => allSales(sim).filter((sale) => isUnresolved(sale) && isOld(sale.order)),
    stuckReversals: () => allUndecided(sim).filter(isOld)
  }
}
