import { Schema } from "effect"
import { type IdempotencyKey, StoredIdentifier, StoredTerminalId, TransactionId } from "./Ids.ts"
import type { DayRange } from "./LocalTime.ts"
import { Amount } from "./Money.ts"
import { SoldService } from "./Sale.ts"
import { Status } from "./Status.ts"

/** A sale in its current status. Contract: 2.5. */
export const Transaction = Schema.Struct({
  id: TransactionId,
  xid: Schema.String,
  status: Status,
  service: SoldService,
  identifier: StoredIdentifier,
  amount: Amount,
  authCode: Schema.NullOr(Schema.String),
  rechargeToken: Schema.NullOr(Schema.String),
  terminalId: Schema.NullOr(StoredTerminalId),
  createdAt: Schema.DateTimeUtc,
  /** Null until the sale settles. */
  processedAt: Schema.NullOr(Schema.DateTimeUtc)
})
export type Transaction = typeof Transaction.Type

/** Filter of transactions. All given fields must match. Contract: 4.7. */
export interface TransactionFilter extends DayRange {
  readonly status?: Status | undefined
  readonly identifier?: string | undefined
  /** An xid may match several failed sales and at most one that did not fail. */
  readonly xid?: string | undefined
  readonly key?: IdempotencyKey | undefined
}
