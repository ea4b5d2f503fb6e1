import { Context, type DateTime, type Effect } from "effect"
import type { Balance, Consumption, Limits } from "../domain/Account.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { Periods } from "../domain/LocalTime.ts"
import type { Amount, Centavos } from "../domain/Money.ts"

/** A company's balance, limits and consumption. Contract: 2.3. */
export interface Account {
  readonly balance: Balance
  readonly limits: Limits
  readonly consumption: Consumption
  readonly lowBalanceAlert: Centavos
  /** Null for a company without ledger entries. */
  readonly updatedAt: DateTime.Utc | null
}

/** Limits and threshold that the operator may change. Absent fields do not change. */
export interface AccountSettings {
  readonly daily?: Centavos | undefined
  readonly weekly?: Centavos | undefined
  readonly monthly?: Centavos | undefined
  readonly lowBalanceAlert?: Centavos | undefined
}

/**
 * Reads balances, limits and consumption. A company without a stored record has balance zero and the default limits.
 */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly read: (companyId: CompanyId, periods: Periods) => Effect.Effect<Account>
    readonly configure: (companyId: CompanyId, settings: AccountSettings, at: DateTime.Utc) => Effect.Effect<void>
  }
>()("saldo/core/Accounts") {}

/** A correction that sets the available balance of a company to a fixed amount. */
export interface Adjustment {
  readonly companyId: CompanyId
  /** Available balance afterwards, in centavos. The held amount is kept. */
  readonly goal: Amount
  /** A repeated reference changes nothing. */
  readonly reference: string
  /** A company with its first entry at or after this instant is new, and its balance is not changed. */
  readonly since: DateTime.Utc
  readonly at: DateTime.Utc
}

/** Corrects balances by ledger entries. A database failure is a defect; the call may be repeated. */
export class Adjustments extends Context.Service<
  Adjustments,
  {
    /** Returns the signed centavos of the entry; null when the reference was used before. */
    readonly adjust: (adjustment: Adjustment) => Effect.Effect<number | null>
  }
>()("saldo/core/Adjustments") {}
