import { Context, type DateTime, type Duration, type Effect } from "effect"
import type { Asked } from "../domain/Recovery.ts"
import type { Order } from "../domain/Sale.ts"

/** An unresolved sale, claimed by one recovery cycle until the lease ends. */
export interface ClaimedSale extends Pick<Asked, "askAt" | "notFound"> {
  readonly order: Order
  /** When the lease began. A count of "not found" answers is valid only if no later claim exists. */
  readonly claimedAt: DateTime.Utc
}

export interface RecoveryClaim {
  /**
   * When the cycle began, never later than `now`. A sale with a status question after this time is not claimed again.
   */
  readonly began: DateTime.Utc
  /** When the lease begins. */
  readonly now: DateTime.Utc
  readonly lease: Duration.Duration
  readonly limit: number
  /**
   * `due`: sales with a question that was due before the cycle began. `all`: every unresolved sale without a running
   * call.
   */
  readonly which: "due" | "all"
}

/**
 * Claims unresolved sales for recovery. A claim skips sales that another process has claimed, so any number of
 * processes may recover. The claims of a dead process end with their leases.
 */
export class Unresolved extends Context.Service<
  Unresolved,
  {
    readonly claim: (claim: RecoveryClaim) => Effect.Effect<ReadonlyArray<ClaimedSale>>
  }
>()("saldo/core/Unresolved") {}
