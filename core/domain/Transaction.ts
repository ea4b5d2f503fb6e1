import { Effect, Schema } from "effect"
import {
  type IdempotencyKey,
  type ServiceId,
  StoredIdentifier,
  StoredTerminalId,
  type TerminalId,
  TransactionId
} from "./Ids.ts"
import { Amount } from "./Money.ts"
import type { ListFilter } from "./Page.ts"
import { SoldService } from "./Sale.ts"
import { ReversalStatus, Status } from "./Status.ts"

/** The latest attempt to reverse a sale. Contract: 2.5. */
export const LatestReversal = Schema.Struct({
  status: ReversalStatus,
  requestedAt: Schema.DateTimeUtc,
  /** Null until the reversal settles. */
  resolvedAt: Schema.NullOr(Schema.DateTimeUtc)
})
export type LatestReversal = typeof LatestReversal.Type

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
  processedAt: Schema.NullOr(Schema.DateTimeUtc),
  /** Null if no reversal was requested. Responses stored by an earlier version lack this field. */
  reversal: Schema.NullOr(LatestReversal).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
})
export type Transaction = typeof Transaction.Type

/** A sale and the Idempotency-Key with which it was made. */
export interface KeyedTransaction extends Transaction {
  readonly key: string
}

/** Filter of transactions. All given fields must match. Contract: 4.7. */
export interface TransactionFilter extends ListFilter {
  readonly status?: Status | undefined
  readonly identifier?: string | undefined
  /** Several failed sales may have the same xid, but at most one sale that did not fail. */
  readonly xid?: string | undefined
  readonly key?: IdempotencyKey | undefined
  readonly serviceId?: ServiceId | undefined
  readonly terminalId?: TerminalId | undefined
}
