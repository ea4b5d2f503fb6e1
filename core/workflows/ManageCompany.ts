import { DateTime, Effect, Option, Struct } from "effect"
import type { Company } from "../domain/Company.ts"
import type { CompanyId } from "../domain/Ids.ts"
import { periodsAt } from "../domain/LocalTime.ts"
import { UnknownCompany } from "../domain/OperatorErrors.ts"
import { type AccountSettings, Accounts } from "../ports/Accounts.ts"
import { Companies, type CompanyChanges, type NewCompany } from "../ports/Companies.ts"
import { Events } from "../ports/Events.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"

/** Finds a company, or fails with UnknownCompany. */
export const companyOf = Effect.fn("ManageCompany.companyOf")(function* (companyId: CompanyId) {
  const companies = yield* Companies
  const company = yield* companies.find(companyId)
  if (Option.isNone(company)) return yield* new UnknownCompany({ companyId })
  return company.value
})

/** Reads a company, its account, and whether its events are turned on. */
export const showCompany = Effect.fn("ManageCompany.showCompany")(function* (companyId: CompanyId) {
  const company = yield* companyOf(companyId)
  const accounts = yield* Accounts
  const account = yield* accounts.read(companyId, periodsAt(yield* DateTime.now))
  const events = yield* Events
  return { account, company, eventsOn: (yield* events.turnedOn([companyId])).has(companyId) }
})

export const createCompany = Effect.fn("ManageCompany.createCompany")(function* (company: NewCompany) {
  yield* requireAction("company")
  const companies = yield* Companies
  const companyId = yield* companies.create(company, yield* DateTime.now)
  yield* recordAudit("company_created", { companyId }, { ...company })
  return companyId
}, atomically)

/** Settings of a company's balance that the operator may change. Absent fields do not change. */
export interface CompanySettings extends AccountSettings {
  /** Whether the service writes events of the company. */
  readonly eventsOn?: boolean | undefined
}

/** Changes the given fields of a company and of its account, and turns its events on or off. */
export const changeCompany = Effect.fn("ManageCompany.changeCompany")(function* (
  companyId: CompanyId,
  changes: CompanyChanges,
  { eventsOn, ...settings }: CompanySettings
) {
  const isOfCompany = isAnyGiven(changes) || eventsOn !== undefined
  yield* requireAction(isOfCompany ? "company" : "limits")
  yield* companyOf(companyId)
  const companies = yield* Companies
  const accounts = yield* Accounts
  const events = yield* Events
  const previous = isAnyGiven(changes) ? yield* companies.change(companyId, changes) : Option.none()
  const before = Option.getOrUndefined(Option.map(previous, (company) => valuesBefore(company, changes)))
  yield* recordAudit("company_changed", { companyId }, { ...changes, ...settings, eventsOn, before })
  const at = yield* DateTime.now
  // Written last, because this locks the balance row, which the company's sales need.
  if (isAnyGiven(settings)) yield* accounts.configure(companyId, settings, at)
  if (eventsOn !== undefined) yield* events.turn(companyId, eventsOn, at)
}, atomically)

/** The earlier values of the changed fields. Null for a field that had no value. */
const valuesBefore = (company: Company, changes: CompanyChanges) =>
  Object.fromEntries(
    Struct.keys(changes).flatMap((field) => (changes[field] === undefined ? [] : [[field, company[field] ?? null]]))
  )

const isAnyGiven = (changes: CompanyChanges | AccountSettings): boolean =>
  Object.values(changes).some((value) => value !== undefined)
