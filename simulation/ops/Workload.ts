import type { Chance } from "../../tools/Chance.ts"
import type { Focus } from "../faults/Focus.ts"
import { serviceIds } from "../process/Directory.ts"
import type { Act } from "./Op.ts"

/**
 * The kind of the next operation. `burst`: many sales at once. `again`: an earlier operation repeated. `reuse`: the key
 * of an earlier sale with another amount.
 */
export type Kind = Act["do"] | "again" | "reuse" | "burst"

type AboutSales = "sell" | "burst" | "again" | "reuse" | "reverse"
type Sale = Extract<Act, { do: "sell" }>

const phones = ["8095550101", "8295550102", "8495550103"] as const

/** Limits that operators set, in centavos; 0 means no limit. A week of sales can reach the tight ones. */
const loose = { daily: [0, 200_000, 400_000], weekly: [0, 600_000], monthly: [0, 900_000] }
const tight = {
  daily: [0, 200_000],
  weekly: [100_000, 200_000, 300_000, 400_000, 500_000],
  monthly: [0, 1_000_000]
}

/** Generates an action that does not refer to an earlier one. */
const newAct = (chance: Chance, focus: Focus, kind: Exclude<Kind, AboutSales>, company: number, nth: number): Act => {
  switch (kind) {
    case "buy":
      return {
        do: "buy",
        company,
        service: chance.pick([serviceIds.packages, serviceIds.bills]),
        identifier: chance.pick(phones),
        key: `k${nth}`
      }
    case "insure": {
      // A run whose focus is issuing a policy must get there, so it makes no wrong attempts and no resends.
      const straight = focus.steps.some((step) => step.includes("issue") || step.includes("insurer"))
      return {
        do: "insure",
        company,
        plate: `A${String(100_000 + nth)}`,
        wrongCodes: straight ? 0 : chance.pick([0, 0, 0, 1, 3, 6]),
        resends: straight ? 0 : chance.pick([0, 1, 2, 2, 6]),
        quotes: chance.pick([1, 1, 2]),
        keys: chance.pick([[`k${nth}`], [`k${nth}`, `k${nth}b`]])
      }
    }
    case "deposit":
      return { do: "deposit", company, centavos: chance.between(1, 100) * 1_000, reference: `d${nth}` }
    case "limit": {
      const { daily, monthly, weekly } = focus.by === "spend" ? tight : loose
      return {
        do: "limit",
        company,
        daily: chance.pick(daily),
        weekly: chance.pick(weekly),
        monthly: chance.pick(monthly)
      }
    }
    case "adjust":
      return { do: "adjust", company: 4, centavos: chance.between(1, 30) * 10_000, reference: `a${nth}` }
    case "resolve":
    case "resolve reversal":
      return { do: kind, nth: chance.between(0, 9), mistaken: chance.happens(0.3) }
    case "kill":
      return { do: "kill", down_ms: chance.between(100, 30_000) }
    case "reconcile":
    case "wait":
      return { do: kind }
  }
}

/** Creates a generator of actions. It remembers earlier actions, because some kinds refer to them. */
export const workload = (chance: Chance, focus: Focus): ((kind: Kind, nth: number) => Act) => {
  const sold: Array<Sale> = []
  /** Reversible sales without a requested reversal. */
  const standing: Array<Sale> = []
  const asked: Array<Act> = []

  const isAboutReversals = focus.by === "reverse" || focus.by === "resolve reversal"
  const services = isAboutReversals ? [serviceIds.credit] : [serviceIds.recharge, serviceIds.energy, serviceIds.credit]

  /** Probability that a reversal takes a sale without an earlier one. Only a first reversal can get stuck. */
  const anew = focus.by === "resolve reversal" ? 0.95 : 0.8

  const sale = (company: number, nth: number): Sale => {
    const act = {
      do: "sell",
      company,
      service: chance.pick(services),
      identifier: chance.pick(phones),
      centavos: chance.between(1, 60) * 1_000,
      key: `k${nth}`
    } as const
    sold.push(act)
    if (act.service === serviceIds.credit) standing.push(act)
    return act
  }

  const actOf = (kind: Kind, company: number, nth: number): Act => {
    switch (kind) {
      case "burst":
      case "sell":
        return sale(company, nth)
      case "again":
        return asked.length === 0 ? sale(company, nth) : chance.pick(asked)
      case "reuse": {
        const before = sold.length === 0 ? sale(company, nth) : chance.pick(sold)
        return { ...before, centavos: before.centavos + 500 }
      }
      case "reverse": {
        const before = chance.happens(anew)
          ? (standing.shift() ?? sale(company, nth))
          : chance.pick(sold.length === 0 ? [sale(company, nth)] : sold)
        return { do: "reverse", company: before.company, saleKey: before.key, key: `v${nth}` }
      }
      default:
        return newAct(chance, focus, kind, company, nth)
    }
  }

  return (kind, nth) => {
    const company = Number(chance.weighted({ 1: 50, 2: 25, 3: 15, 4: 10 }))
    const act = actOf(kind, company, nth)
    if (act.do !== "wait" && act.do !== "kill") asked.push(act)
    return act
  }
}
