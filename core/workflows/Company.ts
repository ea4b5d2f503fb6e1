import { DateTime, Effect, Option } from "effect"
import type { CompanyId } from "../domain/Ids.ts"
import { periodsAt } from "../domain/LocalTime.ts"
import { UnknownCompany } from "../domain/OperatorErrors.ts"
import { type AccountSettings, Accounts } from "../ports/Accounts.ts"
import { Companies, type CompanyChanges, type NewCompany } from "../ports/Companies.ts"
import { atomically, recordAudit } from "./AuditTrail.ts"

/** Finds a company, or fails with UnknownCompany. */
export const companyOf = Effect.fn("Company.companyOf")(function* (companyId: CompanyId) {
  const companies = yield* Companies
  const company = yield* companies.find(companyId)
  if (Option.isNone(company)) return yield* new UnknownCompany({ companyId })
  return company.value
})

/** Reads a company and its account. */
export const showCompany = Effect.fn("Company.showCompany")(function* (companyId: CompanyId) {
  const company = yield* companyOf(companyId)
  const accounts = yield* Accounts
  const account = yield* accounts.read(companyId, periodsAt(yield* DateTime.now))
  return { account, company }
})

export const createCompany = Effect.fn("Company.createCompany")(function* (company: NewCompany) {
  const companies = yield* Companies
  const companyId = yield* companies.create(company, yield* DateTime.now)
  yield* recordAudit("company_created", { companyId }, { ...company })
  return companyId
}, atomically)

/** Changes the given fields of a company and of its account. */
export const changeCompany = Effect.fn("Company.changeCompany")(function* (
  companyId: CompanyId,
  changes: CompanyChanges,
  settings: AccountSettings
) {
  yield* companyOf(companyId)
  const companies = yield* Companies
  const accounts = yield* Accounts
  if (given(changes)) yield* companies.change(companyId, changes)
  yield* recordAudit("company_changed", { companyId }, { ...changes, ...settings })
  // Last, because it locks the row that the company's sales need.
  if (given(settings)) yield* accounts.configure(companyId, settings, yield* DateTime.now)
}, atomically)

const given = (changes: CompanyChanges | AccountSettings): boolean =>
  Object.values(changes).some((value) => value !== undefined)
