import { Context, type DateTime, type Effect } from "effect"
import type { Balance } from "../domain/Balance.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { Consumption, Limits } from "../domain/Limits.ts"
import type { Periods } from "../domain/LocalTime.ts"
import type { Centavos } from "../domain/Money.ts"

/** A company's balance, limits and consumption. Contract: 2.3. */
export interface Account {
  readonly balance: Balance
  readonly limits: Limits
  readonly consumption: Consumption
  readonly lowBalanceAlert: Centavos
  /** Null for a company without ledger entries. */
  readonly updatedAt: DateTime.Utc | null
}

/** Settings that the operator may change. Absent fields do not change. */
export interface AccountSettings {
  readonly daily?: Centavos | undefined
  readonly weekly?: Centavos | undefined
  readonly monthly?: Centavos | undefined
  readonly lowBalanceAlert?: Centavos | undefined
}

/** Reads balances, limits and consumption. A company without a record has zero balance and the default limits. */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly read: (companyId: CompanyId, periods: Periods) => Effect.Effect<Account>
    readonly configure: (companyId: CompanyId, settings: AccountSettings, at: DateTime.Utc) => Effect.Effect<void>
  }
>()("saldo/core/Accounts") {}
