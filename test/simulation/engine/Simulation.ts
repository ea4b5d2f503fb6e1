import { createHash } from "node:crypto"
import { Struct } from "effect"
import type { Sale } from "../../../adapters/memory/Books.ts"
import type { Balance, Entry, Limits } from "../../../core/domain/Account.ts"
import type { CompanyEvent, Sequence, WebhookId } from "../../../core/domain/Event.ts"
import type { TransactionId } from "../../../core/domain/Ids.ts"
import { invariants } from "../../../core/domain/Invariants.ts"
import type { Reversal } from "../../../core/domain/Reversal.ts"
import type { DeliveryState } from "../../../core/domain/Webhook.ts"
import type { WebhookState } from "../../../core/ports/Webhooks.ts"
import type { EventLoop, Incarnation } from "./EventLoop.ts"
import type { FaultInjector } from "./FaultInjector.ts"
import type { Fault } from "./Faults.ts"

/** Invariants that only the simulation checks, in addition to the invariants of `saldo audit`. */
const observedInvariants = [
  "an xid derives from company and key",
  "a sale counts in its local day",
  "a bill is paid once",
  "a sale is settled once",
  "an operator's entry is booked once",
  "proposer and confirmer differ",
  "a proposal is decided once",
  "a correction or large deposit has two operators",
  "an expired proposal moves no money",
  "no order without a reservation",
  "an xid names one sale",
  "a sale is sent once",
  "no order long after its reservation",
  "no sale exceeds a limit",
  "a sale's status never goes back",
  "a firm response stays true",
  "a response fits its request",
  "a key always gets the same response",
  "a key names one sale",
  "a claim has one owner at a time",
  "a code allows five attempts",
  "an external operation is performed once",
  "a contradiction raises an alert",
  "a change has exactly one event",
  "a crossed alert value has exactly one event",
  "events are numbered in commit order",
  "a company with events off has no events",
  "an event shows its state at the commit",
  "an event never changes",
  "an inactive webhook receives nothing",
  "every healthy webhook receives every event",
  "a delivery ends only as its endpoint responded",
  "everything is settled at the end",
  "exactly the delivered sales are charged",
  "a changed answer is found",
  "a changed answer moves no money",
  "a closing adds up",
  "nothing begins in a closed cell",
  "only companies of closed cells are refused as closed"
] as const

/** The name of an invariant. */
export type SimulationInvariant = keyof typeof invariants | (typeof observedInvariants)[number]

export const simulationInvariants: ReadonlyArray<SimulationInvariant> = [
  ...Struct.keys(invariants),
  ...observedInvariants
]

/** The fields of a sale that the invariants read. */
export type ObservedSale = Pick<Sale, "order" | "key" | "status" | "day" | "billId" | "processedAt">

/** A reversal that is not settled. */
export interface ObservedReversal extends Pick<Reversal, "xid" | "createdAt"> {
  readonly transactionId: TransactionId
}

/** A ledger entry that operators made: a deposit or an adjustment. */
export interface OperatorEntry extends Pick<Entry, "type" | "amount" | "reference"> {
  /** Whether the entry has a proposal that another operator has confirmed. */
  readonly agreed: boolean
}

/** Reads the database for the invariants, outside the simulated connections. */
interface DatabaseView {
  readonly balance: (companyId: number) => Balance
  readonly limits: (companyId: number) => Limits
  readonly sales: (companyId: number) => Iterable<ObservedSale>
  /** The entries that operators made. */
  readonly byHand: (companyId: number) => Iterable<OperatorEntry>
  readonly undecided: (companyId: number) => Iterable<ObservedReversal>
}

/** A change of a company that must have an event: the type and the subject of this event. */
export type ReportableChange = Pick<CompanyEvent, "type" | "subject">

/** An event as a transaction wrote it. */
export interface WrittenEvent extends Pick<CompanyEvent, "sequence" | "type"> {
  /** The sale, insurance, ledger entry or balance that the event reports, such as `sale 12`. */
  readonly about: string
}

/** The changes that a committed transaction made to one company, and the events that it wrote. */
export interface ObservedCommit {
  readonly companyId: number
  /**
   * All changes that must have an event. Leaves out changes of the balance, because `account` shows whether
   * the available amount crossed the alert value.
   */
  readonly changes: ReadonlyArray<ReportableChange>
  readonly events: ReadonlyArray<WrittenEvent>
  /** The account after the transaction. */
  readonly account: Balance & { readonly alert: number; readonly areEventsOn: boolean }
}

/** A delivery at the end of a run. */
export interface FinalDelivery {
  readonly companyId: number
  readonly webhookId: WebhookId
  readonly sequence: Sequence
  readonly state: DeliveryState
  readonly webhookState: WebhookState
}

/** The events and deliveries of all companies at the end of a run, as the ports read them. */
export interface FinalEvents {
  readonly events: ReadonlyArray<CompanyEvent>
  readonly deliveries: ReadonlyArray<FinalDelivery>
}

/** Receives the sales, reversals and commits that a look at the database finds. */
export interface DatabaseObserver {
  readonly seen: (sales: Iterable<ObservedSale>) => void
  /** Receives every commit, in the order of the commits. */
  readonly committed: (commit: ObservedCommit) => void
  readonly unsound: (invariant: SimulationInvariant, what: string) => void
}

/** The database as the invariants read it. */
export interface ObservedDatabase {
  /** Whether responses arrive in the order of their transactions. */
  readonly areResponsesOrdered: boolean
  readonly view: DatabaseView
  /**
   * Reports a write to the data of a company; null if the money of no company changed. The store checks the company
   * immediately or soon after.
   */
  readonly wrote: (companyId: number | null) => void
  /** Runs a check on the database: immediately in memory, with the next snapshot on SQL. */
  readonly look: (check: () => void) => void
}

/** A violated invariant. */
export interface Violation {
  readonly invariant: SimulationInvariant
  readonly what: string
  readonly at_ms: number
}

/** The state that all parts of one run share. */
export interface Simulation {
  readonly seed: number
  /** The instant at which the run starts. */
  readonly epoch_ms: number
  readonly eventLoop: EventLoop
  readonly trace: Trace
  readonly faults: FaultInjector
  /** Until this time, the database is unreachable. */
  outageUntil_ms: number
  /** The first violation. The run ends when it happens. */
  violation: Violation | null
  readonly store: ObservedDatabase
  /** Kills a process. Its replica later starts a new process. */
  readonly kill: (incarnation: Incarnation) => void
  /** Starts a recovery in the other replica. */
  readonly startConcurrentRecovery: (incarnation: Incarnation) => void
}

export const addTraceLine = (sim: Simulation, where: string, what: string): void =>
  sim.trace.add({ at_ms: sim.eventLoop.now_ms, where, what })

/** Records a violation, if it is the first of the run. */
export const reportViolation = (sim: Simulation, invariant: SimulationInvariant, what: string): void => {
  if (sim.violation !== null) return
  sim.violation = { invariant, what, at_ms: sim.eventLoop.now_ms }
  addTraceLine(sim, "invariant", `violated: ${invariant}: ${what}`)
}

/** One event of a run. */
export interface TraceLine {
  readonly at_ms: number
  /** The process or the operation; "outside" for an external service. */
  readonly where: string
  readonly what: string
  /** The fault, if the event is a fault. */
  readonly fault?: Fault
}

/** The balance of a company after a write. */
export interface BalanceSample {
  /** Number of trace lines before the sample. */
  readonly line: number
  readonly companyId: number
  readonly available: number
  readonly held: number
}

/** All events of a run, in order. Equal digests mean identical traces. */
export class Trace {
  readonly lines: Array<TraceLine> = []
  readonly money: Array<BalanceSample> = []

  add(line: TraceLine): void {
    this.lines.push(line)
  }

  sample(companyId: number, available: number, held: number): void {
    this.money.push({ line: this.lines.length, companyId, available, held })
  }

  get digest(): string {
    const hash = createHash("sha256")
    for (const { at_ms, what, where } of this.lines) hash.update(`${at_ms}|${where}|${what}\n`)
    return hash.digest("hex").slice(0, 16)
  }
}
