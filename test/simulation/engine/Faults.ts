import { Context, Struct } from "effect"

/** Every fault that may hit a step, with its meaning. */
export const faults = {
  "dies before": "the process dies instead of calling",
  "dies after": "it was done, and the process dies before it hears so",
  pause: "the answer finds the process paused for longer than a reservation stays fresh",
  "long pause": "the answer finds the process paused for longer than a lease",
  "clock ahead": "the clock of the process is put forward",
  "clock back": "the clock of the process is put back",
  rival: "at the same moment the other replica begins a recovery",
  "hang up": "the caller is gone before the answer",
  cut: "the connection dies before the commit",
  "cut after commit": "the connection dies after the commit",
  conflict: "the transaction loses a conflict and is rolled back",
  outage: "the database is gone for a while",
  timeout: "it is done, but the answer takes longer than anybody waits",
  "lost answer": "it is done at once, and the answer is lost",
  late: "the answer says nothing firm, and it is decided minutes later",
  "never arrives": "the order is lost on its way",
  "arrives late": "the order is not known for minutes, and then it is done",
  duplicate: "the order arrives twice, and the answer only says that it is known",
  "not sent": "nothing leaves the process, and it knows so",
  contradiction: "the answer is firm, and the opposite of what is true",
  breaks: "the answer cannot be understood"
} as const

export type Fault = keyof typeof faults

export const allFaults = Struct.keys(faults)

/** The workflow on whose behalf a process makes a call. */
export type Activity = "sale" | "reversal" | "recovery" | "insurance" | "messages" | "lookup" | "operator" | "sandbox"

export const Activity = Context.Reference<Activity>("saldo/simulation/Activity", { defaultValue: () => "operator" })

/**
 * What a step calls. `database`: a port of the database. `supplier`: an order to deliver or reverse. `question`: a
 * question to a supplier. `gateway`: an SMS. `wire`: a statement between driver and Postgres, which exists only on SQL.
 */
type CalleeKind = "database" | "supplier" | "question" | "gateway" | "wire"

interface StepFacts {
  readonly kind: CalleeKind
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
} as const satisfies Record<string, StepFacts>

export type WorkflowStep = keyof typeof steps

const workflowSteps = Struct.keys(steps)

export const stepFactsOf = (step: WorkflowStep): StepFacts => steps[step]

export const isWorkflowStep = (name: string): name is WorkflowStep => Object.hasOwn(steps, name)

const databaseFaults: ReadonlyArray<Fault> = ["cut", "cut after commit", "conflict", "outage"]
const wireFaults: ReadonlyArray<Fault> = ["cut", "cut after commit", "conflict"]
const answerFaults: ReadonlyArray<Fault> = ["timeout", "lost answer", "breaks"]
const orderFaults: ReadonlyArray<Fault> = [
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
const statusQuestions: ReadonlyArray<WorkflowStep> = [
  "recovery: ask",
  "recovery: ask insurer",
  "recovery: ask reversal",
  "operator: ask",
  "operator: ask reversal"
]

/** Why a fault cannot happen at a step; null when it can. */
export const whyImpossible = (step: WorkflowStep, fault: Fault): string | null => {
  const { awaited, kind } = stepFactsOf(step)
  if (kind === "wire") return wireFaults.includes(fault) ? null : "a wire carries statements, or is cut"
  if (fault === "hang up") return awaited ? null : "nobody waits for it"
  if (databaseFaults.includes(fault)) return kind === "database" ? null : "no database is called"
  if (answerFaults.includes(fault)) return kind === "database" ? "the database is cut off, or answers" : null
  if (!orderFaults.includes(fault)) return null
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
      if (fault === "late") return statusQuestions.includes(step) ? null : "it is answered or not"
      if (fault === "contradiction")
        return statusQuestions.includes(step) ? null : "there is nothing to be untrue about"
      return "a question orders nothing"
  }
}

/** A fault at a step. Coverage counts how often each one happens. */
export type FaultAtStep = `${WorkflowStep} × ${Fault}`

export const faultAtStep = (step: WorkflowStep, fault: Fault): FaultAtStep => `${step} × ${fault}`

export const faultsOf = (step: WorkflowStep): ReadonlyArray<Fault> =>
  allFaults.filter((fault) => whyImpossible(step, fault) === null)

/** Where the money is kept: books in memory, or the SQL functions in Postgres. */
export const backends = ["memory", "sql"] as const
export type Backend = (typeof backends)[number]

/** The steps that exist on a backend. Wire steps exist only on SQL. */
export const stepsOn = (backend: Backend): ReadonlyArray<WorkflowStep> =>
  workflowSteps.filter((step) => backend === "sql" || stepFactsOf(step).kind !== "wire")

/** The combinations of step and fault that are possible on a backend. */
export const faultsAtStepsOn = (backend: Backend): ReadonlyArray<FaultAtStep> =>
  stepsOn(backend).flatMap((step) => faultsOf(step).map((fault) => faultAtStep(step, fault)))
