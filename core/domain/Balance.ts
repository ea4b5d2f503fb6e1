import { Result } from "effect"
import { InsufficientBalance } from "./Errors.ts"
import { type Amount, Centavos } from "./Money.ts"

/**
 * A company's money. What it owns is `available + held`, always. Contract: 2.3.
 *
 * What may become of a balance is said here once, for the ledger in memory and for the laws that the ledger in Postgres
 * is held to. Postgres decides by its own functions, under its locks: sql/functions.
 */
export interface Balance {
  readonly available: Centavos
  readonly held: Centavos
}

export const owned = (balance: Balance): Centavos => Centavos.make(balance.available + balance.held)

/** Is there less to spend than the company wants to be told about? Contract: 2.3. */
export const isLow = (balance: Balance, alert: Centavos): boolean => balance.available < alert

/** Sets the amount aside. Contract: 2.3, Reserve. */
export const reserve = (balance: Balance, amount: Amount): Result.Result<Balance, InsufficientBalance> =>
  balance.available < amount
    ? Result.fail(new InsufficientBalance({ available: balance.available, required: amount }))
    : Result.succeed({
        available: Centavos.make(balance.available - amount),
        held: Centavos.make(balance.held + amount)
      })

/** The sale was delivered: the held amount is spent. Contract: 2.3, Confirm. */
export const confirm = (balance: Balance, amount: Amount): Balance => ({
  available: balance.available,
  held: Centavos.make(balance.held - amount)
})

/** The sale was refused for good: the held amount is free again. Contract: 2.3, Release. */
export const release = (balance: Balance, amount: Amount): Balance => ({
  available: Centavos.make(balance.available + amount),
  held: Centavos.make(balance.held - amount)
})

/** The company may spend so much again. What is held stays held, beside it. */
export const restore = (balance: Balance, goal: Amount): Balance => ({
  available: Centavos.make(goal),
  held: balance.held
})

/** Money comes in: a deposit, or the amount of a reversed sale. */
export const credit = (balance: Balance, amount: Amount): Balance => ({
  available: Centavos.make(balance.available + amount),
  held: balance.held
})
