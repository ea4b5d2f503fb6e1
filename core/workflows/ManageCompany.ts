import { DateTime, Effect, Option, Struct } from "effect"
import type { CellName } from "../domain/Cell.ts"
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

/** @param chosen the company's cell; by default the open cell with the fewest companies. */
export const createCompany = Effect.fn("ManageCompany.createCompany")(function* (
  company: NewCompany,
  chosen?: CellName
) {
  yield* requireAction("company")
  const companies = yield* Companies
  const companyId = yield* companies.create(company, yield* DateTime.now, chosen)
  const { cell } = yield* Effect.orDie(companyOf(companyId))
  yield* recordAudit("company_created", { companyId }, { before: null, after: { ...company, cell } })
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
  const known = yield* companyOf(companyId)
  const companies = yield* Companies
  const accounts = yield* Accounts
  const events = yield* Events
  const at = yield* DateTime.now
  const previous = isAnyGiven(changes) ? yield* companies.change(companyId, changes) : Option.none()
  const { limits, lowBalanceAlert } = yield* accounts.read(companyId, periodsAt(at))
  const wasOn = (yield* events.turnedOn([companyId])).has(companyId)
  const all = { ...Option.getOrElse(previous, () => known), ...limits, lowBalanceAlert, eventsOn: wasOn }
  yield* recordAudit("company_changed", { companyId }, valuesOf(all, { ...changes, ...settings, eventsOn }))
  // Writes the account last, because this locks the balance row, which the company's sales need.
  if (isAnyGiven(settings)) yield* accounts.configure(companyId, settings, at)
  if (eventsOn !== undefined) yield* events.turn(companyId, eventsOn, at)
}, atomically)

/** The given fields before and after a change. Null for a field that had no value. */
const valuesOf = <Values extends object>(before: Values, after: { readonly [Field in keyof Values]?: unknown }) => {
  const given = Struct.keys(after).filter((field) => after[field] !== undefined)
  return {
    before: Object.fromEntries(given.map((field) => [field, before[field] ?? null])),
    after: Object.fromEntries(given.map((field) => [field, after[field]]))
  }
}

const isAnyGiven = (changes: CompanyChanges | AccountSettings): boolean =>
  Object.values(changes).some((value) => value !== undefined)
