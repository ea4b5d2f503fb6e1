import { allFaults, type Fault } from "./Fault.ts"
import { allSteps, factsOf, type Step } from "./Step.ts"

const isOfDatabase: ReadonlyArray<Fault> = ["cut", "cut after commit", "conflict", "outage"]
const isOfWire: ReadonlyArray<Fault> = ["cut", "cut after commit", "conflict"]
const isOfWord: ReadonlyArray<Fault> = ["timeout", "lost answer", "breaks"]
const isOfOrder: ReadonlyArray<Fault> = [
  "late",
  "never arrives",
  "arrives late",
  "duplicate",
  "not sent",
  "contradiction"
]

/**
 * Steps that ask for the status of an order. Other questions move no money, so a false answer to them means nothing.
 */
const aboutOrders: ReadonlyArray<Step> = [
  "recovery: ask",
  "recovery: ask insurer",
  "recovery: ask reversal",
  "operator: ask",
  "operator: ask reversal"
]

/** Why a fault cannot happen at a step; null when it can. */
export const impossible = (step: Step, fault: Fault): string | null => {
  const { awaited, kind } = factsOf(step)
  if (kind === "wire") return isOfWire.includes(fault) ? null : "a wire carries statements, or is cut"
  if (fault === "hang up") return awaited ? null : "nobody waits for it"
  if (isOfDatabase.includes(fault)) return kind === "database" ? null : "no database is called"
  if (isOfWord.includes(fault)) return kind === "database" ? "the database is cut off, or answers" : null
  if (!isOfOrder.includes(fault)) return null
  switch (kind) {
    case "database":
      return "nothing is ordered from anybody"
    case "supplier":
      return null
    case "gateway":
      return fault === "late" || fault === "contradiction" || fault === "arrives late"
        ? "a message is handed over or not: nobody asks about it later"
        : null
    case "question":
      if (fault === "late") return aboutOrders.includes(step) ? null : "it is answered or not"
      if (fault === "contradiction") return aboutOrders.includes(step) ? null : "there is nothing to be untrue about"
      return "a question orders nothing"
  }
}

/** A fault at a step. Coverage counts how often each one happens. */
export type Cell = `${Step} × ${Fault}`

export const cellOf = (step: Step, fault: Fault): Cell => `${step} × ${fault}`

export const faultsOf = (step: Step): ReadonlyArray<Fault> =>
  allFaults.filter((fault) => impossible(step, fault) === null)

/** Where the money is kept: books in memory, or the SQL functions in Postgres. */
export const backends = ["memory", "sql"] as const
export type Backend = (typeof backends)[number]

/** The steps that exist on a backend. Wire steps exist only on SQL. */
export const stepsOn = (backend: Backend): ReadonlyArray<Step> =>
  allSteps.filter((step) => backend === "sql" || factsOf(step).kind !== "wire")

/** The combinations of step and fault that are possible on a backend. */
export const cellsOn = (backend: Backend): ReadonlyArray<Cell> =>
  stepsOn(backend).flatMap((step) => faultsOf(step).map((fault) => cellOf(step, fault)))
