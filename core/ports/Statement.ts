import { Context, type Effect, type Stream } from "effect"
import type { Entry } from "../domain/Account.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { DayRange } from "../domain/LocalTime.ts"
import type { Page, Slice } from "../domain/Page.ts"

/** Reads a company's ledger, newest first. Each balance equals the balance below it plus the amount. Contract: 4.2. */
export class Statement extends Context.Service<
  Statement,
  {
    readonly page: (companyId: CompanyId, range: DayRange, page: Page) => Effect.Effect<Slice<Entry>>
    /** Streams a range of any length, as it stood when the first part was read. */
    readonly all: (companyId: CompanyId, range: DayRange) => Stream.Stream<Entry>
  }
>()("saldo/core/Statement") {}
