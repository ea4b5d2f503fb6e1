import { Context, type DateTime, type Duration, type Effect } from "effect"
import type { Asked } from "../domain/Recovery.ts"
import type { Order } from "../domain/Sale.ts"

/** A sale whose outcome is not known, claimed by one recovery for as long as the lease lasts. */
export interface Claimed extends Pick<Asked, "askAt" | "notFound"> {
  readonly order: Order
  /** When the lease began: a count of not-founds stands only if nobody has claimed the sale since. */
  readonly claimedAt: DateTime.Utc
}

export interface Claim {
  /** When the cycle began, and never after now: what was asked about since is not asked about again. */
  readonly began: DateTime.Utc
  /** When the lease begins. */
  readonly now: DateTime.Utc
  readonly lease: Duration.Duration
  readonly limit: number
  /** Whatever was due by the schedule as the cycle began, or every sale that may be asked for at all. */
  readonly which: "due" | "all"
}

/**
 * The sales that recovery has to ask about. A claim skips what another recovery holds, so any number of them may run;
 * a claim whose holder died is free again when its lease ends.
 */
export class Unresolved extends Context.Service<
  Unresolved,
  {
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Claimed>>
  }
>()("saldo/core/Unresolved") {}
