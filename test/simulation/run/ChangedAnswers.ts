import { DateTime } from "effect"
import { SeededRandom } from "../../support/SeededRandom.ts"
import { focusOf } from "../engine/FaultInjector.ts"
import { addTraceLine, type ObservedSale, type Simulation } from "../engine/Simulation.ts"
import { checkChangesFound, checkMoneyUnmoved, type ExternalRecords } from "../invariants/FinalInvariants.ts"
import { companies } from "../process/CompaniesAndCatalogue.ts"
import type { Store } from "../process/Store.ts"
import type { Cluster } from "./Cluster.ts"
import type { AdvanceTime } from "./RunPhases.ts"

const hour_ms = 60 * 60_000

/** Length of the first part of the phase. Faults happen only in this part. */
const faulty_ms = 12 * hour_ms

/** Length of the phase. It exceeds the 48 hours from a settlement to its last check. */
const length_ms = 50 * hour_ms

/** Time from the settlement after which a supplier does not change its answer. The last check comes an hour later. */
const lastChange_ms = 47 * hour_ms

/** Probability that the supplier changes its answer about a sale. */
const changeRate = 0.3

/**
 * Whether suppliers change their answers at the end of a run. They do in every fourth run, and in runs that focus on the
 * questions about settled sales. This phase takes as long as the rest of the run, so most runs skip it.
 */
const hasChangedAnswers = (seed: number): boolean =>
  seed % 4 === 0 || focusOf(seed).steps.some((step) => step.startsWith("follow-up"))

/**
 * The settled sales of companies in production about which the supplier may change its answer. The supplier has decided on
 * them, no reversal was requested, and no later sale has the same xid. A check without faults is still to come.
 */
const changeable = (sim: Simulation, { reversalsOf, sales }: ExternalRecords): ReadonlyArray<ObservedSale> => {
  const now_ms = sim.epoch_ms + sim.eventLoop.now_ms
  const latest = new Map<string, ObservedSale>()
  for (const { environment, id } of companies)
    if (environment === "production") for (const sale of sim.store.view.sales(id)) latest.set(sale.order.xid, sale)
  return [...latest.values()].filter(({ order, processedAt, status }) => {
    const standing = sales.standing(order.xid)
    return (
      processedAt !== null &&
      now_ms - DateTime.toEpochMillis(processedAt) < lastChange_ms - faulty_ms &&
      ((status === "SUCCESS" && standing === "done") || (status === "FAILED" && standing === "refused")) &&
      !reversalsOf.has(order.xid)
    )
  })
}

/** Changes the answer of the supplier about some sales, each at a random time. Returns their xids. */
const changeSome = (sim: Simulation, outside: ExternalRecords): ReadonlyArray<string> => {
  const chance = new SeededRandom(sim.seed, "changed answers")
  return changeable(sim, outside).flatMap(({ order: { xid }, processedAt }) => {
    if (processedAt === null || !chance.happens(changeRate)) return []
    const now_ms = sim.epoch_ms + sim.eventLoop.now_ms
    const left_ms = DateTime.toEpochMillis(processedAt) + lastChange_ms - now_ms
    sim.eventLoop.after(chance.between(1, left_ms), null, () => {
      outside.sales.changeAnswer(xid)
      addTraceLine(sim, "outside", `the supplier changes its answer about ${xid}`)
    })
    return [xid]
  })
}

/**
 * Lets suppliers change their answers about settled sales, with faults at first. Every change must be found, and must
 * move no money. The run must be at rest.
 */
export const changeAnswers = async (
  sim: Simulation,
  store: Store,
  cluster: Cluster,
  outside: ExternalRecords,
  advance: AdvanceTime
): Promise<void> => {
  if (!hasChangedAnswers(sim.seed)) return
  const before = moneyOf(sim)
  const changed = changeSome(sim, outside)
  sim.faults.stopped = false
  await advance(sim.eventLoop.now_ms + faulty_ms)
  sim.faults.stopped = true
  sim.outageUntil_ms = 0
  cluster.heal()
  await advance(sim.eventLoop.now_ms + length_ms - faulty_ms)
  await store.audit()
  checkChangesFound(sim, changed, outside)
  checkMoneyUnmoved(sim, before, moneyOf(sim))
}

/** Balance and sales of each company in production, as text. The sandbox is reset at midnight. */
const moneyOf = ({ store: { view } }: Simulation): ReadonlyMap<number, string> =>
  new Map(
    companies
      .filter(({ environment }) => environment === "production")
      .map(({ id }) => [
        id,
        JSON.stringify([
          view.balance(id),
          [...view.sales(id)].map(({ order: { amount, transactionId }, status }) => [transactionId, amount, status])
        ])
      ])
  )
