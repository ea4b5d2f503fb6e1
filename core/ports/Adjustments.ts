import { Context, type DateTime, type Effect } from "effect"
import type { CompanyId } from "../domain/Ids.ts"
import type { Amount } from "../domain/Money.ts"

/** Resets the available balance of a company to a fixed amount. */
export interface Adjustment {
  readonly companyId: CompanyId
  /** Available balance afterwards, in centavos. The held amount is kept. */
  readonly goal: Amount
  /** A repeated reference changes nothing. */
  readonly reference: string
  /** A company whose first entry is at or after this instant is new, and keeps its balance. */
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
