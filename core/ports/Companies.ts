import { Context, type DateTime, type Effect, type Option } from "effect"
import type { CellName } from "../domain/Cell.ts"
import type { CellNotOpen } from "../domain/CellErrors.ts"
import type { Company } from "../domain/Company.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { CodeTaken } from "../domain/OperatorErrors.ts"

export type NewCompany = Omit<Company, "id" | "cell">

/** Fields of a company that may change. Absent fields do not change. */
export type CompanyChanges = {
  readonly [Field in "legalName" | "rnc" | "state" | "apiEnabled" | "insuranceEnabled"]?: Company[Field] | undefined
}

/** The operator's register of companies. A change applies from the next call on, in every process. */
export class Companies extends Context.Service<
  Companies,
  {
    /** @param cell the company's cell; by default the open cell with the fewest companies. */
    readonly create: (
      company: NewCompany,
      at: DateTime.Utc,
      cell?: CellName
    ) => Effect.Effect<CompanyId, CodeTaken | CellNotOpen>
    /** Returns the company as it was before the change, or None if the company does not exist. */
    readonly change: (companyId: CompanyId, changes: CompanyChanges) => Effect.Effect<Option.Option<Company>>
    readonly find: (companyId: CompanyId) => Effect.Effect<Option.Option<Company>>
    readonly findByCode: (code: string) => Effect.Effect<Option.Option<Company>>
    /** Ordered by id. */
    readonly list: Effect.Effect<ReadonlyArray<Company>>
  }
>()("saldo/core/Companies") {}
