import { Effect } from "effect"
import { type MaskedInsurance, masked } from "../domain/MaskedInsurance.ts"
import type { Page } from "../domain/Page.ts"
import { AllInsurances, type InsuranceFilter, type InsuranceSlice } from "../ports/AllInsurances.ts"
import { companyOf } from "./ManageCompany.ts"

/** A page of insurances without personal data. */
interface MaskedSlice extends Omit<InsuranceSlice, "items"> {
  readonly items: ReadonlyArray<MaskedInsurance>
}

/** The insurances of all companies, or of one, newest first. Personal data is masked as in the API. */
export const listInsurances = Effect.fn("ListInsurances.listInsurances")(function* (
  filter: InsuranceFilter,
  page: Page
) {
  if (filter.companyId !== undefined) yield* companyOf(filter.companyId)
  const insurances = yield* AllInsurances
  const slice = yield* insurances.list(filter, page)
  const shown: MaskedSlice = { ...slice, items: slice.items.map(masked) }
  return shown
})
