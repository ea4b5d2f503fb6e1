import { Schema } from "effect"
import { TransactionId } from "./Ids.ts"
import { Centavos } from "./Money.ts"

/** Why money came or went. */
export const EntryType = Schema.Literals(["deposit", "sale", "reversal", "adjustment"])
export type EntryType = typeof EntryType.Type

/** A movement of the ledger: it is written once and never changes. Contract: 4.2. */
export const Entry = Schema.Struct({
  id: Schema.Int,
  type: EntryType,
  /** Centavos: below zero when money went. */
  amount: Schema.Int,
  /** What the company owned once this entry was made. */
  balance: Centavos,
  /** The sale that was charged or given back; null for what the operator did. */
  transactionId: Schema.NullOr(TransactionId),
  /** The operator's name for what he did; null for sales. */
  reference: Schema.NullOr(Schema.String),
  createdAt: Schema.DateTimeUtc
})
export type Entry = typeof Entry.Type
