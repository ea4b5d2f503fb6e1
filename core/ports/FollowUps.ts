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

/** The last sale that a check has reached. Sales are in the order of their settlement, then of their id. */
export interface Reached {
  readonly settledAt: DateTime.Utc
  /** 0 if the check has not reached any sale of this instant. */
  readonly transactionId: number
}

/** The next sales of a check. */
export interface ClaimedCheck {
  readonly sales: ReadonlyArray<SettledSale>
  /** The last of these sales, even if that sale is unreadable. Without sales, the unchanged position of the check. */
  readonly reached: Reached
  /** Whether no further sale is due. */
  readonly isLast: boolean
  /** Whether sales were left out because the check is late. */
  readonly skipped: boolean
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
     * Ends a claim, and records `reached` unless it is null. Does nothing if another process has claimed the check
     * since.
     */
    readonly finish: (claim: FollowUpClaim, reached: Reached | null) => Effect.Effect<void>
    /**
     * Whether the provider's answer about the xid applies to this sale in this status. False if the sale was reversed
     * or is being reversed, or if a later sale has the same xid.
     */
    readonly stands: (sale: SettledSale) => Effect.Effect<boolean>
  }
>()("saldo/core/FollowUps") {}
