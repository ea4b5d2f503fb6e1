import { Schema } from "effect"
import { TransactionId } from "./Ids.ts"
import { Centavos } from "./Money.ts"

/** Why an entry changed the balance. */
export const EntryType = Schema.Literals(["deposit", "sale", "reversal", "adjustment"])
export type EntryType = typeof EntryType.Type

/** An entry of the ledger. It is written once and never changes. Contract: 4.2. */
export const Entry = Schema.Struct({
  id: Schema.Int,
  type: EntryType,
  /** Centavos. Negative when the company's money decreases. */
  amount: Schema.Int,
  /** The company's balance after this entry. */
  balance: Centavos,
  /** The sale that was charged or reversed. Null for deposits and adjustments. */
  transactionId: Schema.NullOr(TransactionId),
  /** The operator's reference of a deposit or adjustment. Null for sales and reversals. */
  reference: Schema.NullOr(Schema.String),
  createdAt: Schema.DateTimeUtc
})
export type Entry = typeof Entry.Type
