import { setImmediate } from "node:timers/promises"
import type { Watch } from "../../engine/Observed.ts"
import type { Chore, Store } from "../Store.ts"
import { adaptersFor } from "./Adapters.ts"
import { peerOf } from "./Peer.ts"
import type { Server } from "./Server.ts"
import { dues, noMoney, nothingSeen, seen, unsound } from "./Sight.ts"

/** After so many statements that may have written something the whole database is looked at again. */
const lookEvery = 40

/** Limits are set by hand and hold at once, so they are known before the next sale is judged by them. */
const setsLimits = (sql: string): boolean => sql.includes("limit_daily") && sql.includes("insert into cell.balance")

/** Behind the wall around a company's rows nothing is written. */
const onlyReads = (sql: string): boolean => sql.includes("set_config('saldo.company'")

/** A step of an insurance sells nothing and sends nothing: when the loops are due stays as it was. */
const onlyInsures = (sql: string): boolean =>
  sql.includes("cell.insurance") && !/cell\.(?:transaction|reversal|sms|reserve|settle)/.test(sql)

/**
 * The SQL functions in a Postgres in this process, behind the adapters and the driver of production. Connections are
 * cut, and transactions lose conflicts, between the driver and the server.
 */
export const sqlStore =
  (server: Server) =>
  (watch: Watch): Store => {
    let sight = nothingSeen
    let checks: Array<() => void> = []
    /** How many statements were run since the last look. */
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
      // An answer has to come through a driver whose process may be paused by then.
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
        // What the driver does of itself it does before this comes back: it never sets a timer of the machine.
        await setImmediate()
        if (isUrgent || unseen >= lookEvery) await look()
        if (isDueKnown || !world.asksLoops()) return
        isDueKnown = true
        due = await server.observe(dues)
      },
      close: look
    }
  }
