import { DateTime, Effect } from "effect"
import { type Company, type CompanyFilter, companiesMatching } from "../domain/Company.ts"
import { periodsAt } from "../domain/LocalTime.ts"
import type { Page, Slice } from "../domain/Page.ts"
import { type Account, Accounts } from "../ports/Accounts.ts"
import { Companies } from "../ports/Companies.ts"
import { Events } from "../ports/Events.ts"

/** A company with its account, and whether its events are turned on. */
export interface ListedCompany {
  readonly company: Company
  readonly account: Account
  readonly eventsOn: boolean
}

/** The companies that match a filter, ordered by id, with their balances, limits and consumption. */
export const listCompanies = Effect.fn("ListCompanies.listCompanies")(function* (filter: CompanyFilter, page?: Page) {
  const companies = yield* Companies
  const matching = companiesMatching(yield* companies.list, filter)
  const skipped = page === undefined ? 0 : (page.page - 1) * page.perPage
  const shown = page === undefined ? matching : matching.slice(skipped, skipped + page.perPage)
  const events = yield* Events
  const withEvents = yield* events.turnedOn(shown.map(({ id }) => id))
  const accounts = yield* Accounts
  const periods = periodsAt(yield* DateTime.now)
  // Calls that arrive together are read in one statement.
  const items = yield* Effect.forEach(
    shown,
    (company) =>
      Effect.map(
        accounts.read(company.id, periods),
        (account): ListedCompany => ({ company, account, eventsOn: withEvents.has(company.id) })
      ),
    { concurrency: "unbounded" }
  )
  return { items, total: matching.length } satisfies Slice<ListedCompany>
})
