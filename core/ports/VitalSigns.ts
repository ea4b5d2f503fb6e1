import { Context, type DateTime, type Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { LateOutcome } from "../domain/LateOutcome.ts"
import type { Centavos } from "../domain/Money.ts"
import type { UnresolvedStatus } from "../domain/Status.ts"

/** The sales of an environment whose outcome is not known. */
export interface UnresolvedSales {
  readonly environment: Environment
  readonly status: UnresolvedStatus
  readonly sales: number
  readonly held: Centavos
  readonly oldest: DateTime.Utc
}

/** The reversals of an environment whose outcome is not known. They hold nothing. */
export interface UnresolvedReversals {
  readonly environment: Environment
  readonly reversals: number
  readonly oldest: DateTime.Utc
}

/** What an operator watches of the data. */
export interface Vitals {
  /** Nothing for what there is none of, here and below. */
  readonly unresolved: ReadonlyArray<UnresolvedSales>
  readonly unresolvedReversals: ReadonlyArray<UnresolvedReversals>
  /** Messages that did not arrive in the last 24 hours. */
  readonly undeliveredSms: ReadonlyArray<{ readonly environment: Environment; readonly messages: number }>
  /** Firm answers of the last hour that contradict what was settled, whichever process heard them. */
  readonly lateOutcomes: ReadonlyArray<{ readonly kind: LateOutcome; readonly outcomes: number }>
  /** Companies that have less to spend than they want to be told about. */
  readonly lowBalances: ReadonlyArray<{ readonly environment: Environment; readonly companies: number }>
  /** What the service's connections to the database are doing, those of all its processes. */
  readonly connections: ReadonlyArray<{ readonly state: string; readonly connections: number }>
  /** The database archives its log, and its latest try at it has failed. */
  readonly archiveFailing: boolean
}

/** Reads what an operator watches. Costs little, however much there is. */
export class VitalSigns extends Context.Service<VitalSigns, { readonly read: Effect.Effect<Vitals> }>()(
  "saldo/core/VitalSigns"
) {}
