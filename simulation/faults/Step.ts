import { Context, Struct } from "effect"

/** The workflow on whose behalf a process makes a call. */
export type Activity = "sale" | "reversal" | "recovery" | "insurance" | "messages" | "lookup" | "operator" | "sandbox"

export const Activity = Context.Reference<Activity>("saldo/simulation/Activity", { defaultValue: () => "operator" })

/**
 * What a step calls. `database`: a port of the database. `supplier`: an order to deliver or reverse. `question`: a
 * question to a supplier. `gateway`: an SMS. `wire`: a statement between driver and Postgres, which exists only on SQL.
 */
type Kind = "database" | "supplier" | "question" | "gateway" | "wire"

interface Facts {
  readonly kind: Kind
  /** Whether the adapter retries when the transaction is rolled back. */
  readonly repeated?: true
  /** Whether a caller waits for the step and may close its connection. */
  readonly awaited?: true
}

/** Every call of a workflow to the outside, named by activity and method. */
const steps = {
  "sale: reserve": { kind: "database", repeated: true, awaited: true },
  "sale: dispatch": { kind: "supplier", awaited: true },
  "sale: begin issue": { kind: "database", awaited: true },
  "sale: issue": { kind: "supplier", awaited: true },
  "sale: settle": { kind: "database", repeated: true, awaited: true },
  "reversal: begin": { kind: "database", repeated: true, awaited: true },
  "reversal: reverse": { kind: "supplier", awaited: true },
  "reversal: settle reversal": { kind: "database", repeated: true, awaited: true },
  "recovery: claim sales": { kind: "database" },
  "recovery: ask": { kind: "question" },
  "recovery: ask insurer": { kind: "question" },
  "recovery: settle": { kind: "database", repeated: true },
  "recovery: claim reversals": { kind: "database" },
  "recovery: ask reversal": { kind: "question" },
  "recovery: settle reversal": { kind: "database", repeated: true },
  "insurance: inspect": { kind: "question", awaited: true },
  "insurance: plans": { kind: "question", awaited: true },
  "insurance: quote": { kind: "question", awaited: true },
  "insurance: create": { kind: "database", awaited: true },
  "insurance: resend": { kind: "database", awaited: true },
  "insurance: attempt": { kind: "database", awaited: true },
  "insurance: advance": { kind: "database", awaited: true },
  "messages: claim": { kind: "database" },
  "messages: send": { kind: "gateway" },
  "messages: record": { kind: "database", repeated: true },
  "lookup: ask": { kind: "question", awaited: true },
  "lookup: store": { kind: "database", awaited: true },
  "operator: deposit": { kind: "database", repeated: true },
  "operator: configure": { kind: "database" },
  "operator: propose": { kind: "database" },
  "operator: confirm": { kind: "database" },
  "operator: ask": { kind: "question" },
  "operator: settle": { kind: "database", repeated: true },
  "operator: propose reversal": { kind: "database" },
  "operator: confirm reversal": { kind: "database" },
  "operator: ask reversal": { kind: "question" },
  "operator: settle reversal": { kind: "database", repeated: true },
  "sandbox: adjust": { kind: "database", repeated: true },
  "wire: reserve": { kind: "wire" },
  "wire: settle": { kind: "wire" },
  "wire: deposit": { kind: "wire" },
  "wire: adjust": { kind: "wire" },
  "wire: begin reversal": { kind: "wire" },
  "wire: settle reversal": { kind: "wire" },
  "wire: record": { kind: "wire" }
} as const satisfies Record<string, Facts>

export type Step = keyof typeof steps

export const allSteps = Struct.keys(steps)

export const factsOf = (step: Step): Facts => steps[step]

export const isStep = (name: string): name is Step => Object.hasOwn(steps, name)
