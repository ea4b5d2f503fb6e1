import { Result, Schema } from "effect"
import { InsufficientBalance, LimitExceeded } from "./Errors.ts"
import { TransactionId } from "./Ids.ts"
import { type Amount, Centavos } from "./Money.ts"

/**
 * The balance of a company. The company's money is always `available + held`. Contract: 2.3.
 *
 * The functions below define each change of a balance. The in-memory ledger calls them. The Postgres ledger repeats
 * them in sql/functions, under row locks, and tests compare the two ledgers.
 */
export interface Balance {
  readonly available: Centavos
  readonly held: Centavos
}

export const owned = (balance: Balance): Centavos => Centavos.make(balance.available + balance.held)

/** Whether the available balance is below the company's low-balance threshold. Contract: 2.3. */
export const isLow = (balance: Balance, alert: Centavos): boolean => balance.available < alert

/** Moves the amount from available to held. Contract: 2.3, Reserve. */
export const reserve = (balance: Balance, amount: Amount): Result.Result<Balance, InsufficientBalance> =>
  balance.available < amount
    ? Result.fail(new InsufficientBalance({ available: balance.available, required: amount }))
    : Result.succeed({
        available: Centavos.make(balance.available - amount),
        held: Centavos.make(balance.held + amount)
      })

/** Removes the amount from held, because the sale was delivered. Contract: 2.3, Confirm. */
export const confirm = (balance: Balance, amount: Amount): Balance => ({
  available: balance.available,
  held: Centavos.make(balance.held - amount)
})

/** Moves the amount from held back to available, because the provider refused the sale. Contract: 2.3, Release. */
export const release = (balance: Balance, amount: Amount): Balance => ({
  available: Centavos.make(balance.available + amount),
  held: Centavos.make(balance.held - amount)
})

/** Sets the available balance to `goal`. The held amount does not change. */
export const restore = (balance: Balance, goal: Amount): Balance => ({
  available: Centavos.make(goal),
  held: balance.held
})

/** Adds the signed centavos of an adjustment to available. Null if the available amount does not suffice. */
export const adjust = (balance: Balance, centavos: number): Balance | null =>
  balance.available + centavos < 0
    ? null
    : { available: Centavos.make(balance.available + centavos), held: balance.held }

/** Adds the amount of a deposit or of a reversed sale to available. */
export const credit = (balance: Balance, amount: Amount): Balance => ({
  available: Centavos.make(balance.available + amount),
  held: balance.held
})

/** The kind of operation that changed the balance. */
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

/** How much a company may spend in each period, in centavos; 0 means no limit. Contract: 2.3 and 8. */
export interface Limits {
  readonly daily: Centavos
  readonly weekly: Centavos
  readonly monthly: Centavos
}

/** How much a company has spent in each period, held amounts included, in centavos. Contract: 2.3. */
export interface Consumption {
  readonly daily: Centavos
  readonly weekly: Centavos
  readonly monthly: Centavos
}

/** Default limits of a company, valid until the operator sets other limits. Contract: 2.3. */
export const defaultLimits: Limits = {
  daily: Centavos.make(5_000_000),
  weekly: Centavos.make(25_000_000),
  monthly: Centavos.make(100_000_000)
}

const periods = [
  ["diario", "daily"],
  ["semanal", "weekly"],
  ["mensual", "monthly"]
] as const

/**
 * Fails with the first limit that the amount would exceed, in the order day, week, month. The in-memory ledger calls
 * this function. The SQL function `reserve` repeats the rule, and test/postgres/model compares the two.
 */
export const checkLimits = (
  limits: Limits,
  consumption: Consumption,
  amount: Amount
): Result.Result<void, LimitExceeded> => {
  for (const [period, field] of periods) {
    const limit = limits[field]
    if (limit > 0 && consumption[field] + amount > limit) {
      return Result.fail(new LimitExceeded({ period, limit, consumption: consumption[field], required: amount }))
    }
  }
  return Result.void
}
