import { Context, type DateTime, type Duration, type Effect } from "effect"
import type { Asked } from "../domain/Recovery.ts"
import type { Order } from "../domain/Sale.ts"

/** An unresolved sale, claimed by one recovery until the lease ends. */
export interface ClaimedSale extends Pick<Asked, "askAt" | "notFound"> {
  readonly order: Order
  /** When the lease began. A count of "not found" answers is valid only if no later claim exists. */
  readonly claimedAt: DateTime.Utc
}

export interface RecoveryClaim {
  /** When the cycle began, never later than `now`. A sale that was asked about after this time is not claimed again. */
  readonly began: DateTime.Utc
  /** When the lease begins. */
  readonly now: DateTime.Utc
  readonly lease: Duration.Duration
  readonly limit: number
  /** Sales that the schedule made due before the cycle began, or all that may be asked about. */
  readonly which: "due" | "all"
}

/**
 * Claims unresolved sales for recovery. A claim skips sales that another process holds, so any number of processes may
 * recover. The claim of a dead process ends with its lease.
 */
export class Unresolved extends Context.Service<
  Unresolved,
  {
    readonly claim: (claim: RecoveryClaim) => Effect.Effect<ReadonlyArray<ClaimedSale>>
  }
>()("saldo/core/Unresolved") {}
