import { Context, type DateTime, type Effect } from "effect"
import type { LateOutcome } from "../domain/AuditAction.ts"
import type { Environment } from "../domain/Company.ts"
import type { Centavos } from "../domain/Money.ts"
import type { UnresolvedStatus } from "../domain/Status.ts"

/** Unresolved sales of an environment in a cell. */
export interface UnresolvedSales {
  readonly cell: string
  readonly environment: Environment
  readonly status: UnresolvedStatus
  readonly sales: number
  readonly held: Centavos
  readonly oldest: DateTime.Utc
}

/** Unresolved reversals of an environment. They hold no money. */
export interface UnresolvedReversals {
  readonly environment: Environment
  readonly reversals: number
  readonly oldest: DateTime.Utc
}

/** Due deliveries to the active webhooks of an environment. */
export interface DueDeliveries {
  readonly environment: Environment
  /** Whether the last attempt of the webhooks in this group failed. If so, each of these webhooks gets one delivery at a time. */
  readonly failing: boolean
  /** Number of due deliveries. At most a thousand deliveries are counted for each webhook. */
  readonly deliveries: number
  /** When the oldest delivery of the group became due. */
  readonly oldest: DateTime.Utc
}

/** Measurements of the database for the metrics. */
export interface Vitals {
  /** The names of all cells. */
  readonly cells: ReadonlyArray<string>
  /** Names of the cells that do not answer. Their rows are missing in the other values. */
  readonly cellsDown: ReadonlyArray<string>
  /** Each cell has its own groups, here and in the lists below. Groups with a count of zero are absent. */
  readonly unresolved: ReadonlyArray<UnresolvedSales>
  readonly unresolvedReversals: ReadonlyArray<UnresolvedReversals>
  /** Messages of the last 24 hours that were not delivered. */
  readonly undeliveredSms: ReadonlyArray<{ readonly environment: Environment; readonly messages: number }>
  /** Firm answers of the last hour that contradict a settled outcome, from all processes. */
  readonly lateOutcomes: ReadonlyArray<{ readonly kind: LateOutcome; readonly outcomes: number }>
  /** Companies below their low-balance threshold. */
  readonly lowBalances: ReadonlyArray<{ readonly environment: Environment; readonly companies: number }>
  readonly dueDeliveries: ReadonlyArray<DueDeliveries>
  /** Webhooks that the service or the operator has disabled. */
  readonly disabledWebhooks: ReadonlyArray<{ readonly environment: Environment; readonly webhooks: number }>
  /** Connections of all Saldo processes to the database, by state. */
  readonly connections: ReadonlyArray<{ readonly state: string; readonly connections: number }>
  /** The start of the oldest local day of a company that is not closed. Null if no company has ledger entries. */
  readonly closedUntil: DateTime.Utc | null
  /** Whether the database archives its WAL and the last attempt to archive failed. */
  readonly archiveFailing: boolean
}

/** Reads the measurements. The cost does not grow with the number of sales. */
export class VitalSigns extends Context.Service<VitalSigns, { readonly read: Effect.Effect<Vitals> }>()(
  "saldo/core/VitalSigns"
) {}
