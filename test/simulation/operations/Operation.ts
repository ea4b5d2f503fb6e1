/**
 * An action of a caller or operator, or an event of a process. It contains all its data, so it does not depend on
 * another action.
 */
export type Action =
  | {
      readonly do: "sell"
      readonly company: number
      readonly service: number
      readonly identifier: string
      readonly centavos: number
      readonly key: string
    }
  /** Looks up the options for the identifier, and buys the first option. */
  | {
      readonly do: "buy"
      readonly company: number
      readonly service: number
      readonly identifier: string
      readonly key: string
    }
  /**
   * Takes an insurance through all steps to the policy. Each code is tried `wrongCodes` times with a wrong value, and
   * all keys buy the same quote at the same time.
   */
  | {
      readonly do: "insure"
      readonly company: number
      readonly plate: string
      readonly wrongCodes: number
      readonly resends: number
      readonly quotes: number
      readonly keys: ReadonlyArray<string>
    }
  | { readonly do: "reverse"; readonly company: number; readonly saleKey: string; readonly key: string }
  /** An operator makes a deposit. If another operator must confirm the deposit, two operators decide as `decision` says. */
  | {
      readonly do: "deposit"
      readonly company: number
      readonly centavos: number
      readonly reference: string
      readonly decision: FundingDecision
    }
  /** An operator proposes to add signed centavos, and other operators decide. */
  | {
      readonly do: "correct"
      readonly company: number
      readonly centavos: number
      readonly reference: string
      readonly decision: FundingDecision
    }
  /** An operator confirms every pending proposal of the company. Some of them have expired. */
  | { readonly do: "confirm rest"; readonly company: number }
  | {
      readonly do: "limit"
      readonly company: number
      readonly daily: number
      readonly weekly: number
      readonly monthly: number
    }
  | { readonly do: "adjust"; readonly company: number; readonly centavos: number; readonly reference: string }
  /** Sets the value below which the available amount counts as low. */
  | { readonly do: "alert"; readonly company: number; readonly centavos: number }
  /** Deletes the temporary webhook of the company, if it has one. */
  | { readonly do: "delete webhook"; readonly company: number }
  /** Sends an event to the healthy webhook of the company again. */
  | { readonly do: "replay"; readonly company: number; readonly sequence: number }
  /** Two operators resolve a stuck sale or reversal. If `mistaken` is true, they state a false result. */
  | { readonly do: "resolve" | "resolve reversal"; readonly nth: number; readonly mistaken: boolean }
  /** Closes every day that is over by the clock of the process. */
  | { readonly do: "close" }
  /** Asks the suppliers immediately about every unresolved sale and reversal. */
  | { readonly do: "reconcile" }
  /** An operator closes or opens a cell. This action exists only on SQL, because books in memory have no cells. */
  | { readonly do: "close cell" | "open cell"; readonly cell: string }
  | { readonly do: "kill"; readonly down_ms: number }
  /** Does nothing until the next operation. */
  | { readonly do: "wait" }

/**
 * How operators decide on a proposal. `both`: two operators confirm it at the same time. `torn`: one confirms it and one
 * rejects it at the same time. `reject`: one rejects it. `leave`: none of them decides.
 */
export type FundingDecision = "both" | "torn" | "reject" | "leave"

/** An operation of a run. */
export type Operation = Action & {
  /** Selects the random numbers of this operation. The id stays the same when shrinking removes other operations. */
  readonly id: number
  readonly at_ms: number
  /** The replica that receives the call: 0 or 1. */
  readonly replica: number
}

const pesos = (centavos: number): string => (centavos / 100).toFixed(2)

const describeResolution = (what: string, mistaken: boolean): string =>
  `two operators resolve a stuck ${what}${mistaken ? " with a false result" : ""}`

/** The operation as text for the trace. */
export const describeAction = (op: Action): string => {
  switch (op.do) {
    case "sell":
      return `company ${op.company} sells ${pesos(op.centavos)} of service ${op.service} to ${op.identifier}, key ${op.key}`
    case "buy":
      return `company ${op.company} looks up ${op.identifier} at service ${op.service} and buys the first option, key ${op.key}`
    case "insure":
      return `company ${op.company} insures ${op.plate}: ${op.wrongCodes} wrong attempts per code, ${op.resends} resends, ${op.quotes} quotes, bought with key ${op.keys.join(" and ")}`
    case "reverse":
      return `company ${op.company} reverses the sale with key ${op.saleKey}, key ${op.key}`
    case "deposit":
      return `company ${op.company} deposits ${pesos(op.centavos)}, reference ${op.reference}`
    case "correct":
      return `the balance of company ${op.company} is corrected by ${pesos(op.centavos)}, reference ${op.reference}, decided ${op.decision}`
    case "confirm rest":
      return `an operator confirms the undecided proposals of company ${op.company}`
    case "limit":
      return `the limits of company ${op.company} become ${[op.daily, op.weekly, op.monthly].map(pesos).join(", ")} (day, week, month)`
    case "adjust":
      return `the balance of company ${op.company} is adjusted to ${pesos(op.centavos)}, reference ${op.reference}`
    case "alert":
      return `the alert value of company ${op.company} becomes ${pesos(op.centavos)}`
    case "delete webhook":
      return `company ${op.company} deletes its temporary webhook`
    case "replay":
      return `company ${op.company} requests event ${op.sequence} again`
    case "resolve":
      return describeResolution("sale", op.mistaken)
    case "resolve reversal":
      return describeResolution("reversal", op.mistaken)
    case "close":
      return "the past days are closed"
    case "reconcile":
      return "an operator asks about everything unresolved"
    case "close cell":
      return `an operator closes the cell ${op.cell}`
    case "open cell":
      return `an operator opens the cell ${op.cell}`
    case "kill":
      return `the process is killed and restarts after ${op.down_ms} ms`
    case "wait":
      return "time passes"
  }
}
