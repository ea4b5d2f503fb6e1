import { setImmediate } from "node:timers/promises"
import type { Watch } from "../../engine/Observed.ts"
import type { Chore, Store } from "../Store.ts"
import { adaptersFor } from "./Adapters.ts"
import { peerOf } from "./Peer.ts"
import type { Server } from "./Server.ts"
import { dues, noMoney, nothingSeen, seen, unsound } from "./Sight.ts"

/** Number of possibly writing statements after which the whole database is read again. */
const lookEvery = 40

/** Whether a statement changes limits. A snapshot must follow at once, because new limits apply to the next sale. */
const setsLimits = (sql: string): boolean => sql.includes("limit_daily") && sql.includes("insert into cell.balance")

/** Whether a statement only reads. Statements under row-level security of one company never write. */
const onlyReads = (sql: string): boolean => sql.includes("set_config('saldo.company'")

/** Whether a statement only changes an insurance. It creates no work for the background loops. */
const onlyInsures = (sql: string): boolean =>
  sql.includes("cell.insurance") && !/cell\.(?:transaction|reversal|sms|reserve|settle)/.test(sql)

/**
 * The SQL functions in an in-process Postgres, behind the production adapters and driver. Faults hit the connection
 * between driver and server.
 */
export const sqlStore =
  (server: Server) =>
  (watch: Watch): Store => {
    let sight = nothingSeen
    let checks: Array<() => void> = []
    /** Number of statements since the last snapshot. */
    let unseen = 0
    let isUrgent = false
    let isDueKnown = false
    let due: Readonly<Record<Chore, number | null>> = { recovery: null, messages: null }

    const look = async () => {
      unseen = 0
      isUrgent = false
      sight = await server.observe(seen)
      for (const sales of sight.sales.values()) watch.seen(sales)
      const waiting = checks
      checks = []
      for (const check of waiting) check()
      for (const { invariant, what } of await server.observe(unsound)) watch.unsound(invariant, what)
    }

    const ran = (sql: string) => {
      if (onlyReads(sql)) return
      unseen++
      isDueKnown &&= onlyInsures(sql)
      isUrgent ||= setsLimits(sql)
    }

    return {
      books: null,
      // A response passes through the driver of a process, which may be paused.
      isHeardInOrder: false,
      eyes: {
        balance: (companyId) => (sight.money.get(companyId) ?? noMoney).balance,
        limits: (companyId) => (sight.money.get(companyId) ?? noMoney).limits,
        sales: (companyId) => sight.sales.get(companyId) ?? [],
        byHand: (companyId) => sight.byHand.get(companyId) ?? [],
        undecided: (companyId) => sight.undecided.get(companyId) ?? []
      },
      open: (sim, incarnation, machine) => adaptersFor(machine, peerOf(sim, incarnation, server, ran)),
      due: (chore) => due[chore],
      wrote: () => {},
      look: (check) => void checks.push(check),
      settle: async ({ world }) => {
        // After `setImmediate`, the driver has done all its work, because it never sets a timer of the machine.
        await setImmediate()
        if (isUrgent || unseen >= lookEvery) await look()
        if (isDueKnown || !world.asksLoops()) return
        isDueKnown = true
        due = await server.observe(dues)
      },
      close: look
    }
  }
