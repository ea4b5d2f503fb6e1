import { Context, type DateTime, type Duration, type Effect } from "effect"
import type { Check, FollowedStatus } from "../domain/FollowUp.ts"
import type { Order } from "../domain/Sale.ts"

/** A settled sale and its status, for a later question to the provider. */
export interface SettledSale {
  readonly order: Order
  readonly status: FollowedStatus
}

export interface FollowUpClaim {
  readonly check: Check
  /** When the cycle began. Sales that become due later are left to the next cycle. */
  readonly began: DateTime.Utc
  /** When the lease begins. */
  readonly now: DateTime.Utc
  readonly lease: Duration.Duration
  readonly limit: number
}

/** The next sales of a check. */
export interface ClaimedCheck {
  readonly sales: ReadonlyArray<SettledSale>
  /** Whether no further sale is due. */
  readonly isLast: boolean
  /** Whether sales were left out because the check is late. */
  readonly skipped: boolean
  /**
   * Ends the claim. The next claim begins after these sales if they were asked about, and otherwise with the same sales.
   * Does nothing if another process has claimed the check in the meantime.
   */
  readonly finish: (areAsked: boolean) => Effect.Effect<void>
}

/**
 * The progress of each check through the settled sales of companies in production. Any number of processes may work on
 * the checks. A process claims a check until the lease ends, so each check asks about a sale once.
 */
export class FollowUps extends Context.Service<
  FollowUps,
  {
    /** Claims a check and reads the next sales that are due. Null while another process has claimed the check. */
    readonly claim: (claim: FollowUpClaim) => Effect.Effect<ClaimedCheck | null>
    /**
     * Whether the provider's answer about the xid applies to this sale in this status. False if the sale was reversed
     * or is being reversed, or if a later sale has the same xid.
     */
    readonly stands: (sale: SettledSale) => Effect.Effect<boolean>
  }
>()("saldo/core/FollowUps") {}
