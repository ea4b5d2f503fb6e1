import { Context, Struct } from "effect"

/** All faults, each with its meaning. A fault happens at a step. */
export const faults = {
  "crash before": "the process dies before the call",
  "crash after": "the process dies when the response arrives",
  pause: "the process is paused before it reads the response, for longer than a reservation may wait to be sent",
  "long pause": "the process is paused before it reads the response, for longer than a lease",
  "clock ahead": "the clock of the process jumps forward",
  "clock back": "the clock of the process jumps back",
  "concurrent recovery": "the other replica starts a recovery at the same time",
  "caller disconnects": "the caller disconnects before the response",
  "cut before commit": "the connection breaks before the commit",
  "cut after commit": "the connection breaks after the commit",
  conflict: "the transaction is rolled back because of a conflict",
  outage: "the database is unreachable for 1 to 9 seconds",
  timeout: "the external service responds only after the timeout",
  "lost response": "the external service does its work, and its response is lost",
  "late decision": "the response states no outcome; an order is decided minutes later",
  "lost order": "the order, message or event never arrives",
  "late order": "the order arrives after up to 8 minutes and is performed then",
  duplicate: "the order arrives, but the response only says that it is a duplicate",
  "not sent": "the order does not leave the process, and the adapter reports that",
  "false answer": "the response states an outcome beyond doubt, but a wrong one",
  "unreadable response": "the adapter cannot parse the response",
  "error status": "the endpoint of a webhook responds with an error status such as 500"
} as const

export type Fault = keyof typeof faults

export const allFaults = Struct.keys(faults)

/** The workflow for which a process makes a call. */
export type Activity =
  | "sale"
  | "reversal"
  | "recovery"
  | "follow-up"
  | "insurance"
  | "messages"
  | "deliveries"
  | "lookup"
  | "operator"
  | "closings"
  | "sandbox"

export const Activity = Context.Reference<Activity>("saldo/simulation/Activity", { defaultValue: () => "operator" })

/**
 * The kind of callee of a step. `database`: a port of the database. `supplier`: an order to deliver or to
 * reverse. `question`: a question to a supplier. `gateway`: an SMS. `endpoint`: an event that is sent to a
 * webhook. `wire`: an SQL statement between driver and Postgres; it exists only on the SQL backend.
 */
type CalleeKind = "database" | "supplier" | "question" | "gateway" | "endpoint" | "wire"

interface StepFacts {
  readonly kind: CalleeKind
  /** Whether the adapter retries when the transaction is rolled back. */
  readonly repeated?: true
  /** Whether a caller waits for the step and may close its connection. */
  readonly awaited?: true
}

/** Every call of a workflow to the database or to an external service, named by activity and method. */
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
  "follow-up: claim check": { kind: "database" },
  "follow-up: ask": { kind: "question" },
  "follow-up: ask insurer": { kind: "question" },
  "follow-up: finish check": { kind: "database" },
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
  "deliveries: claim": { kind: "database" },
  "deliveries: send": { kind: "endpoint" },
  "deliveries: record": { kind: "database", repeated: true },
  "lookup: ask": { kind: "question", awaited: true },
  "lookup: store": { kind: "database", awaited: true },
  "operator: deposit": { kind: "database", repeated: true },
  "operator: propose funding": { kind: "database" },
  "operator: confirm funding": { kind: "database" },
  "operator: reject funding": { kind: "database" },
  "operator: configure": { kind: "database" },
  "operator: propose": { kind: "database" },
  "operator: confirm": { kind: "database" },
  "operator: ask": { kind: "question" },
  "operator: settle": { kind: "database", repeated: true },
  "operator: propose reversal": { kind: "database" },
  "operator: confirm reversal": { kind: "database" },
  "operator: ask reversal": { kind: "question" },
  "operator: settle reversal": { kind: "database", repeated: true },
  "closings: end": { kind: "database", repeated: true },
  "closings: add": { kind: "database", repeated: true },
  "sandbox: adjust": { kind: "database", repeated: true },
  "wire: reserve": { kind: "wire" },
  "wire: settle": { kind: "wire" },
  "wire: deposit": { kind: "wire" },
  "wire: adjust": { kind: "wire" },
  "wire: begin reversal": { kind: "wire" },
  "wire: settle reversal": { kind: "wire" },
  "wire: end day": { kind: "wire" },
  "wire: add closing": { kind: "wire" },
  "wire: record": { kind: "wire" },
  "wire: record delivery": { kind: "wire" }
} as const satisfies Record<string, StepFacts>

export type WorkflowStep = keyof typeof steps

const workflowSteps = Struct.keys(steps)

export const stepFactsOf = (step: WorkflowStep): StepFacts => steps[step]

export const isWorkflowStep = (name: string): name is WorkflowStep => Object.hasOwn(steps, name)

const databaseFaults: ReadonlyArray<Fault> = ["cut before commit", "cut after commit", "conflict", "outage"]
const wireFaults: ReadonlyArray<Fault> = ["cut before commit", "cut after commit", "conflict"]
const answerFaults: ReadonlyArray<Fault> = ["timeout", "lost response", "unreadable response"]
const orderFaults: ReadonlyArray<Fault> = [
  "late decision",
  "lost order",
  "late order",
  "duplicate",
  "not sent",
  "false answer"
]

/**
 * Steps that ask for the status of an order. Only these steps can receive a false answer, because other questions move
 * no money.
 */
const statusQuestions: ReadonlyArray<WorkflowStep> = [
  "recovery: ask",
  "recovery: ask insurer",
  "recovery: ask reversal",
  "follow-up: ask",
  "follow-up: ask insurer",
  "operator: ask",
  "operator: ask reversal"
]

/** The reason why a fault cannot happen at a step; null if the fault is possible. */
export const whyImpossible = (step: WorkflowStep, fault: Fault): string | null => {
  const { awaited, kind } = stepFactsOf(step)
  if (kind === "wire")
    return wireFaults.includes(fault) ? null : "between driver and server, only cuts and conflicts happen"
  if (fault === "caller disconnects") return awaited ? null : "no caller waits for this step"
  if (databaseFaults.includes(fault)) return kind === "database" ? null : "this step does not call the database"
  if (answerFaults.includes(fault))
    return kind === "database" ? "the database responds, or the connection is cut" : null
  if (fault === "error status") return kind === "endpoint" ? null : "this step calls no webhook"
  if (!orderFaults.includes(fault)) return null
  switch (kind) {
    case "database":
      return "this step sends no order"
    case "supplier":
      return null
    case "endpoint":
      return fault === "lost order" ? null : "an event is not an order"
    case "gateway":
      return fault === "late decision" || fault === "false answer" || fault === "late order"
        ? "the status of a message is never asked for"
        : null
    case "question":
      if (fault === "late decision")
        return statusQuestions.includes(step) ? null : "this question has no pending answer"
      if (fault === "false answer") return statusQuestions.includes(step) ? null : "this question is not about an order"
      return "a question sends no order"
  }
}

/** A fault at a step. Coverage counts how often each combination happens. */
export type FaultAtStep = `${WorkflowStep} × ${Fault}`

export const faultAtStep = (step: WorkflowStep, fault: Fault): FaultAtStep => `${step} × ${fault}`

export const faultsOf = (step: WorkflowStep): ReadonlyArray<Fault> =>
  allFaults.filter((fault) => whyImpossible(step, fault) === null)

/** Where the money is recorded: in books in memory, or in Postgres through the SQL functions. */
export const backends = ["memory", "sql"] as const
export type Backend = (typeof backends)[number]

/** The steps that exist on a backend. Wire steps exist only on SQL. */
export const stepsOn = (backend: Backend): ReadonlyArray<WorkflowStep> =>
  workflowSteps.filter((step) => backend === "sql" || stepFactsOf(step).kind !== "wire")

/** The combinations of step and fault that are possible on a backend. */
export const faultsAtStepsOn = (backend: Backend): ReadonlyArray<FaultAtStep> =>
  stepsOn(backend).flatMap((step) => faultsOf(step).map((fault) => faultAtStep(step, fault)))
