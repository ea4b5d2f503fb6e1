import { DateTime, Effect } from "effect"
import { type Outcome, outcomeOf } from "../../core/domain/Sale.ts"
import { travel } from "../engine/Pace.ts"
import { after, andThen, companyIn, ledgerMutant, type Mutant } from "./Mutant.ts"

const hour_ms = 3_600_000

/** Mutants of idempotency. */
export const keyMutants: ReadonlyArray<Mutant> = [
  ledgerMutant("a replay does not look at the body", ({ recall, reserve }) => ({
    reserve: (intent) => reserve({ ...intent, fingerprint: "any" }),
    recall: (companyId, key) => recall(companyId, key, "any")
  })),
  ledgerMutant("the xid does not follow from the key", ({ reserve }, { sim }) => ({
    reserve: (intent) => reserve({ ...intent, xid: `${intent.xid.slice(0, -6)}${String(sim.world.now_ms).slice(-6)}` })
  })),
  ledgerMutant("a key is free once its sale is pending", ({ settle }, bench) => ({
    settle: (settlement) =>
      andThen(settle(settlement), ({ won }) => {
        const { keys, sales } = companyIn(bench, settlement.order.companyId)
        const sale = sales.get(settlement.order.transactionId)
        if (won && settlement.verdict._tag === "Hold" && sale !== undefined) keys.delete(sale.key)
      })
  })),
  ledgerMutant("a key is forgotten after an hour", ({ reserve }, bench) => ({
    reserve: (intent) =>
      Effect.flatMap(DateTime.now, (now) =>
        after(() => {
          const { keys } = companyIn(bench, intent.companyId)
          const known = keys.get(intent.key)
          const old_ms = known === undefined ? 0 : DateTime.toEpochMillis(now) - DateTime.toEpochMillis(known.claimedAt)
          if (old_ms > hour_ms) keys.delete(intent.key)
        }, reserve(intent))
      )
  })),
  ledgerMutant("two calls with one key both find it free", ({ reserve }, bench) => ({
    reserve: (intent) =>
      Effect.gen(function* () {
        const { keys } = companyIn(bench, intent.companyId)
        const isFree = !keys.has(intent.key)
        yield* travel(bench.sim.world, bench.incarnation, 3)
        if (isFree) keys.delete(intent.key)
        return yield* reserve(intent)
      })
  })),
  ledgerMutant("a key that was answered is answered anew", ({ settle }, bench) => ({
    settle: (settlement) =>
      andThen(settle(settlement), ({ won }) => {
        const { at, order, verdict } = settlement
        const { keys, sales } = companyIn(bench, order.companyId)
        const sale = sales.get(order.transactionId)
        const known = sale === undefined ? undefined : keys.get(sale.key)
        const outcome: Outcome | null = outcomeOf(order, verdict, at)
        if (won && outcome !== null && sale !== undefined && known?.reversalId === null)
          keys.set(sale.key, { ...known, outcome })
      })
  }))
]
