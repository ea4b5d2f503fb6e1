import { Schema } from "effect"
import { type IdempotencyKey, KeptIdentifier, KeptTerminalId, TransactionId } from "./Ids.ts"
import type { DayRange } from "./LocalTime.ts"
import { Amount } from "./Money.ts"
import { SoldService } from "./Sale.ts"
import { Status } from "./Status.ts"

/** A sale as it stands. Contract: 2.5. */
export const Transaction = Schema.Struct({
  id: TransactionId,
  xid: Schema.String,
  status: Status,
  service: SoldService,
  identifier: KeptIdentifier,
  amount: Amount,
  authCode: Schema.NullOr(Schema.String),
  rechargeToken: Schema.NullOr(Schema.String),
  terminalId: Schema.NullOr(KeptTerminalId),
  createdAt: Schema.DateTimeUtc,
  /** Null until it settles. */
  processedAt: Schema.NullOr(Schema.DateTimeUtc)
})
export type Transaction = typeof Transaction.Type

/** Which transactions to list; every field narrows. Contract: 4.7. */
export interface TransactionFilter extends DayRange {
  readonly status?: Status | undefined
  readonly identifier?: string | undefined
  /** Several failed sales may have had one xid, and one that did not fail. */
  readonly xid?: string | undefined
  readonly key?: IdempotencyKey | undefined
}
