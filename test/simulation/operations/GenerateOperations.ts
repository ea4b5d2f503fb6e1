import { DateTime } from "effect"
import { SeededRandom } from "../../support/SeededRandom.ts"
import { focusOf, type RunFocus } from "../engine/FaultInjector.ts"
import type { Backend } from "../engine/Faults.ts"
import { serviceIds } from "../process/CompaniesAndCatalogue.ts"
import { cellClosings } from "./CellClosings.ts"
import { gapOf, gapsOf, second_ms } from "./Gaps.ts"
import type { Action, FundingDecision, Operation } from "./Operation.ts"

/**
 * The kind of the next operation. `burst`: many sales at the same time. `again`: an earlier operation, repeated.
 * `reuse`: a sale with the key of an earlier sale and another amount.
 */
type OperationKind = Exclude<Action["do"], "close cell" | "open cell"> | "again" | "reuse" | "burst"

type AboutSales = "sell" | "burst" | "again" | "reuse" | "reverse"
type Sale = Extract<Action, { do: "sell" }>

const phones = ["8095550101", "8295550102", "8495550103"] as const

/**
 * Limits that operators set, in centavos; 0 means no limit. The sales of a week can reach the tight limits. A few sales
 * around one midnight can reach the limits of a night.
 */
const looseLimits = { daily: [0, 200_000, 400_000], weekly: [0, 600_000], monthly: [0, 900_000] }
const tightLimits = {
  daily: [0, 200_000],
  weekly: [100_000, 200_000, 300_000, 400_000, 500_000],
  monthly: [0, 1_000_000]
}
const nightLimits = { daily: [0], weekly: [60_000, 80_000, 100_000], monthly: [0] }

const limitsOf = ({ by }: RunFocus) => {
  if (by === "spend at midnight") return nightLimits
  return by === "spend" ? tightLimits : looseLimits
}

/**
 * The opening deposit of every company, in centavos. It is small in runs where many sales should fail because the
 * balance is too low.
 */
const openingOf = ({ by }: RunFocus): number => (by === "sell" || by === "operate" ? 400_000 : 8_000_000)

export const openingDepositOf = (seed: number): number => openingOf(focusOf(seed))

/** An alert value that the available amount may cross, in centavos. It is a little lower than the opening deposit. */
const alertIn = (chance: SeededRandom, focus: RunFocus): number => (openingOf(focus) / 100) * chance.between(75, 100)

/** The alert value with which a company starts. */
export const openingAlertOf = (seed: number, companyId: number): number =>
  alertIn(new SeededRandom(seed, `alert of ${companyId}`), focusOf(seed))

const decisionOf = (chance: SeededRandom, { steps }: RunFocus): FundingDecision =>
  chance.weighted({ both: 10, torn: 8, reject: steps.includes("operator: reject funding") ? 40 : 8, leave: 4 })

/** Generates an action that does not refer to an earlier action. */
const newAct = (
  chance: SeededRandom,
  focus: RunFocus,
  kind: Exclude<OperationKind, AboutSales>,
  company: number,
  nth: number
): Action => {
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
      // A run whose focus is the issue of a policy makes no wrong attempts and no resends, because it must reach that
      // step.
      const direct = focus.steps.some((step) => step.includes("issue") || step.includes("insurer"))
      return {
        do: "insure",
        company,
        plate: `A${String(100_000 + nth)}`,
        wrongCodes: direct ? 0 : chance.pick([0, 0, 0, 1, 3, 6]),
        resends: direct ? 0 : chance.pick([0, 1, 2, 2, 6]),
        quotes: chance.pick([1, 1, 2]),
        keys: chance.pick([[`k${nth}`], [`k${nth}`, `k${nth}b`]])
      }
    }
    case "deposit":
      return {
        do: "deposit",
        company,
        centavos: chance.between(1, 100) * 1_000,
        reference: `d${nth}`,
        decision: decisionOf(chance, focus)
      }
    case "correct": {
      // In runs about operators, some corrections are so large that two of them exceed the available amount.
      const isLarge = focus.by === "operate" && chance.happens(0.5)
      const centavos = chance.between(1, 60) * (isLarge ? 20_000 : 1_000)
      return {
        do: "correct",
        company,
        centavos: chance.happens(0.6) ? -centavos : centavos,
        reference: `c${nth}`,
        decision: decisionOf(chance, focus)
      }
    }
    case "confirm rest":
      return { do: kind, company }
    case "limit": {
      const { daily, monthly, weekly } = limitsOf(focus)
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
    case "alert":
      return { do: "alert", company, centavos: alertIn(chance, focus) }
    case "delete webhook":
      return { do: "delete webhook", company }
    case "replay":
      return { do: "replay", company, sequence: chance.between(1, 40) }
    case "resolve":
    case "resolve reversal":
      return { do: kind, nth: chance.between(0, 9), mistaken: chance.happens(0.3) }
    case "kill":
      return { do: "kill", down_ms: chance.between(100, 30_000) }
    case "close":
    case "reconcile":
    case "wait":
      return { do: kind }
  }
}

/** Creates a generator of actions. It remembers earlier actions, because some kinds of actions refer to them. */
const actionGenerator = (chance: SeededRandom, focus: RunFocus): ((kind: OperationKind, nth: number) => Action) => {
  const sold: Array<Sale> = []
  /** Reversible sales for which no reversal was requested. */
  const standing: Array<Sale> = []
  const asked: Array<Action> = []

  const isAboutReversals = focus.by === "reverse" || focus.by === "resolve reversal"
  const services = isAboutReversals ? [serviceIds.credit] : [serviceIds.recharge, serviceIds.energy, serviceIds.credit]

  /**
   * Probability that a reversal concerns a sale without an earlier reversal. Only the first reversal of a sale can get
   * stuck.
   */
  const firstReversal_rate = focus.by === "resolve reversal" ? 0.95 : 0.8

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

  const actOf = (kind: OperationKind, company: number, nth: number): Action => {
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
        const before = chance.happens(firstReversal_rate)
          ? (standing.shift() ?? sale(company, nth))
          : chance.pick(sold.length === 0 ? [sale(company, nth)] : sold)
        return { do: "reverse", company: before.company, saleKey: before.key, key: `v${nth}` }
      }
      default:
        return newAct(chance, focus, kind, company, nth)
    }
  }

  // All sales around a midnight belong to one company, so that they reach its weekly limit.
  const companyWeights = focus.by === "spend at midnight" ? { 1: 1 } : { 1: 50, 2: 25, 3: 15, 4: 10 }

  return (kind, nth) => {
    const company = Number(chance.weighted(companyWeights))
    const act = actOf(kind, company, nth)
    if (act.do !== "wait" && act.do !== "kill") asked.push(act)
    return act
  }
}

/**
 * Start times of runs, in local time. Each is ten minutes before a new day, week, month, leap day or year, except for
 * one ordinary noon.
 */
const startInstants = [
  "2027-11-23T23:50:00-04:00",
  "2027-11-28T23:50:00-04:00",
  "2027-11-30T23:50:00-04:00",
  "2027-12-31T23:50:00-04:00",
  "2028-02-28T23:50:00-04:00",
  "2028-02-29T23:50:00-04:00",
  "2028-12-31T23:50:00-04:00",
  "2027-06-16T12:00:00-04:00"
] as const

/** The start time of a seed's run. */
export const startInstantOf = (seed: number): number =>
  DateTime.toEpochMillis(DateTime.makeUnsafe(new SeededRandom(seed, "beginning").pick(startInstants)))

const usualWeights: Readonly<Record<OperationKind, number>> = {
  sell: 40,
  again: 10,
  reuse: 3,
  burst: 4,
  buy: 5,
  insure: 4,
  reverse: 8,
  deposit: 6,
  correct: 3,
  "confirm rest": 2,
  limit: 2,
  adjust: 2,
  alert: 2,
  "delete webhook": 1,
  replay: 2,
  resolve: 3,
  "resolve reversal": 2,
  reconcile: 3,
  close: 3,
  kill: 3,
  wait: 7
}

/** Weights of operations by focus. They differ from the usual weights, so that a run reaches the steps of its focus. */
const focusWeights: Readonly<Record<RunFocus["by"], Partial<Record<OperationKind, number>>>> = {
  sell: { sell: 80 },
  spend: { sell: 110, limit: 25 },
  "spend at midnight": { sell: 110, limit: 20 },
  buy: { buy: 80 },
  insure: { sell: 20, insure: 150 },
  reverse: { sell: 90, reverse: 90 },
  resolve: { sell: 90, resolve: 100, burst: 1, again: 4, reconcile: 15 },
  "resolve reversal": {
    sell: 120,
    reverse: 100,
    "resolve reversal": 90,
    burst: 1,
    again: 2,
    reconcile: 15,
    insure: 1,
    buy: 1
  },
  close: { sell: 60, close: 80 },
  operate: { sell: 25, burst: 1, again: 40, deposit: 80, correct: 70, "confirm rest": 30, limit: 75, adjust: 60 }
}

/** Generates all operations of a seed, before the run starts. Only a database on SQL has cells that can be closed. */
export const generateOperations = (seed: number, length: number, on: Backend): ReadonlyArray<Operation> => {
  const ops = salesAndDecisions(seed, length)
  return on === "memory"
    ? ops
    : [...ops, ...cellClosings(seed, ops)].toSorted((left, right) => left.at_ms - right.at_ms)
}

/** Generates the operations that do not depend on the backend. */
const salesAndDecisions = (seed: number, length: number): ReadonlyArray<Operation> => {
  const chance = new SeededRandom(seed, "operations")
  const focus = focusOf(seed)
  const weights = { ...usualWeights, ...focusWeights[focus.by] }
  const pauses = gapsOf(focus)
  const epoch_ms = startInstantOf(seed)
  const actOf = actionGenerator(chance, focus)
  const ops: Array<Operation> = []
  let at_ms = second_ms

  while (ops.length < length) {
    at_ms += gapOf(chance, pauses, epoch_ms + at_ms)
    const kind = chance.weighted(weights)
    const times = kind === "burst" ? chance.between(3, 8) : 1
    for (let time = 0; time < times && ops.length < length; time++) {
      const id = ops.length
      ops.push({ ...actOf(kind, id), id, at_ms, replica: chance.between(0, 1) })
    }
  }
  return ops
}
