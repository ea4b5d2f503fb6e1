import { Context, type Effect } from "effect"
import type { Books } from "../../../adapters/memory/Books.ts"
import { Accounts, Adjustments } from "../../../core/ports/Accounts.ts"
import type { AuditEvent } from "../../../core/ports/AuditLog.ts"
import { CellDirectory } from "../../../core/ports/CellDirectory.ts"
import { Closings } from "../../../core/ports/Closings.ts"
import { Deliveries } from "../../../core/ports/Deliveries.ts"
import { Events } from "../../../core/ports/Events.ts"
import { FollowUps } from "../../../core/ports/FollowUps.ts"
import { FundingProposals } from "../../../core/ports/FundingProposals.ts"
import { Insurances } from "../../../core/ports/Insurances.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { Options } from "../../../core/ports/Options.ts"
import { Outbox } from "../../../core/ports/Outbox.ts"
import { Resolutions } from "../../../core/ports/Resolutions.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import { Transactions } from "../../../core/ports/Transactions.ts"
import { Unresolved } from "../../../core/ports/Unresolved.ts"
import { Webhooks } from "../../../core/ports/Webhooks.ts"
import type { Incarnation } from "../engine/EventLoop.ts"
import type { FinalEvents, ObservedDatabase, Simulation } from "../engine/Simulation.ts"
import type { Machine } from "./Process.ts"

/** The database ports of one process. */
export interface DatabasePorts {
  readonly accounts: Accounts["Service"]
  readonly adjustments: Adjustments["Service"]
  readonly cells: CellDirectory["Service"]
  readonly closings: Closings["Service"]
  readonly followUps: FollowUps["Service"]
  readonly deliveries: Deliveries["Service"]
  readonly events: Events["Service"]
  readonly funding: FundingProposals["Service"]
  readonly insurances: Insurances["Service"]
  readonly ledger: Ledger["Service"]
  readonly options: Options["Service"]
  readonly outbox: Outbox["Service"]
  readonly resolutions: Resolutions["Service"]
  readonly reversals: Reversals["Service"]
  readonly transactions: Transactions["Service"]
  readonly unresolved: Unresolved["Service"]
  readonly webhooks: Webhooks["Service"]
  readonly record: (event: AuditEvent) => Effect.Effect<void>
}

type DatabasePort =
  | Accounts
  | Adjustments
  | CellDirectory
  | Closings
  | FollowUps
  | Deliveries
  | Events
  | FundingProposals
  | Insurances
  | Ledger
  | Options
  | Outbox
  | Resolutions
  | Reversals
  | Transactions
  | Unresolved
  | Webhooks

/** Takes the ports from the context of their adapters. */
export const portsIn = (adapters: Context.Context<DatabasePort>): Omit<DatabasePorts, "record"> => ({
  accounts: Context.get(adapters, Accounts),
  adjustments: Context.get(adapters, Adjustments),
  cells: Context.get(adapters, CellDirectory),
  closings: Context.get(adapters, Closings),
  followUps: Context.get(adapters, FollowUps),
  deliveries: Context.get(adapters, Deliveries),
  events: Context.get(adapters, Events),
  funding: Context.get(adapters, FundingProposals),
  insurances: Context.get(adapters, Insurances),
  ledger: Context.get(adapters, Ledger),
  options: Context.get(adapters, Options),
  outbox: Context.get(adapters, Outbox),
  resolutions: Context.get(adapters, Resolutions),
  reversals: Context.get(adapters, Reversals),
  transactions: Context.get(adapters, Transactions),
  unresolved: Context.get(adapters, Unresolved),
  webhooks: Context.get(adapters, Webhooks)
})

/** The background loops of a process. */
export type BackgroundLoop = "recovery" | "follow-up" | "messages" | "deliveries"

/** The database of a simulation. */
export interface Store extends ObservedDatabase {
  /** The books in memory; null on SQL. */
  readonly books: Books["Service"] | null
  /** Creates the database ports of a new process. */
  readonly open: (sim: Simulation, incarnation: Incarnation, machine: Context.Context<Machine>) => DatabasePorts
  /** The instant at which a background loop next has work; null if it has no work. */
  readonly due: (loop: BackgroundLoop) => number | null
  /**
   * Waits for work outside the event loop of the simulation, such as work of the Postgres driver. Null if all work
   * is on the event loop.
   */
  readonly settle: ((sim: Simulation) => Promise<void>) | null
  /** Reads the whole database and audits all books. */
  readonly audit: () => Promise<void>
  /** Reads all events and deliveries. */
  readonly finalEvents: () => Promise<FinalEvents>
}
