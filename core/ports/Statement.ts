import { Context, type Effect, type Stream } from "effect"
import type { Entry } from "../domain/Account.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { FrozenSlice, ListFilter, Page } from "../domain/Page.ts"

/**
 * Reads a company's ledger, newest first. The balance of an entry equals the balance of the next older entry plus its
 * own amount. Contract: 4.2.
 */
export class Statement extends Context.Service<
  Statement,
  {
    readonly page: (companyId: CompanyId, filter: ListFilter, page: Page) => Effect.Effect<FrozenSlice<Entry>>
    /** Streams a list of any length. The list contains the entries that existed when the first part was read. */
    readonly all: (companyId: CompanyId, filter: ListFilter) => Stream.Stream<Entry>
  }
>()("saldo/core/Statement") {}
