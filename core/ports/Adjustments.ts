import { Context, type DateTime, type Effect } from "effect"
import type { CompanyId } from "../domain/Ids.ts"
import type { Amount } from "../domain/Money.ts"

/** A balance that is to go back to what it was. */
export interface Adjustment {
  readonly companyId: CompanyId
  /** What the company may spend afterwards, beside what is held, in centavos. */
  readonly goal: Amount
  /** Its name: the same one again changes nothing. */
  readonly reference: string
  /** A company whose first entry is not older has just begun, and keeps what it has. */
  readonly since: DateTime.Utc
  readonly at: DateTime.Utc
}

/**
 * Corrections of a balance by entries of the ledger. A failure of the database is a defect; the call may be repeated.
 */
export class Adjustments extends Context.Service<
  Adjustments,
  {
    /** Answers the signed centavos that moved; null when its reference had been used before. */
    readonly adjust: (adjustment: Adjustment) => Effect.Effect<number | null>
  }
>()("saldo/core/Adjustments") {}
