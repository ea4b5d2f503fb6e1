import { Context, type Effect } from "effect"
import type { CompanyId } from "../domain/Ids.ts"
import type { Insurance } from "../domain/Insurance.ts"
import type { InsuranceState } from "../domain/InsuranceState.ts"
import type { PageTooDeep } from "../domain/OperatorErrors.ts"
import type { Page, Slice } from "../domain/Page.ts"

/** Filter of insurances. All given fields must match. */
export interface InsuranceFilter {
  readonly companyId?: CompanyId | undefined
  readonly state?: InsuranceState | undefined
}

/** A page of insurances, and the number of insurances in each state, regardless of the state in the filter. */
export interface InsuranceSlice extends Slice<Insurance> {
  readonly counts: Readonly<Partial<Record<InsuranceState, number>>>
  /** Ids of insurances on this page that this version cannot read. The total includes them, but `items` does not. */
  readonly unreadable: ReadonlyArray<number>
}

/** Reads the insurances of all companies, for the operator. */
export class AllInsurances extends Context.Service<
  AllInsurances,
  {
    /** Newest first. The items contain personal data, which a workflow has to mask. */
    readonly list: (filter: InsuranceFilter, page: Page) => Effect.Effect<InsuranceSlice, PageTooDeep>
  }
>()("saldo/core/AllInsurances") {}
