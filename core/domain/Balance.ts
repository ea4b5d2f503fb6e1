import { Result } from "effect"
import { InsufficientBalance } from "./Errors.ts"
import { type Amount, Centavos } from "./Money.ts"

/**
 * A company's money. The company owns `available + held`, always. Contract: 2.3.
 *
 * These functions define the changes of a balance. The ledger in memory uses them, and tests compare the Postgres
 * ledger with them. Postgres itself decides in sql/functions, under its row locks.
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

/** Removes the held amount: the sale was delivered. Contract: 2.3, Confirm. */
export const confirm = (balance: Balance, amount: Amount): Balance => ({
  available: balance.available,
  held: Centavos.make(balance.held - amount)
})

/** Returns the held amount to available: the provider refused the sale. Contract: 2.3, Release. */
export const release = (balance: Balance, amount: Amount): Balance => ({
  available: Centavos.make(balance.available + amount),
  held: Centavos.make(balance.held - amount)
})

/** Sets the available balance to `goal`. The held amount does not change. */
export const restore = (balance: Balance, goal: Amount): Balance => ({
  available: Centavos.make(goal),
  held: balance.held
})

/** Adds the amount of a deposit or of a reversed sale to available. */
export const credit = (balance: Balance, amount: Amount): Balance => ({
  available: Centavos.make(balance.available + amount),
  held: balance.held
})
