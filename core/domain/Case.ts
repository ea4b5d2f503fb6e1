import { type DateTime, Schema } from "effect"
import type { CompanyId, TransactionId } from "./Ids.ts"
import type { Centavos } from "./Money.ts"
import type { ProviderName, StatementStatus } from "./ProviderStatement.ts"

/** Id of a case. */
export const CaseId = Schema.Int.check(Schema.isGreaterThan(0)).pipe(Schema.brand("CaseId"))
export type CaseId = typeof CaseId.Type

/** How a provider's statement differs from the sales. */
export const CaseKind = Schema.Literals(["solo_nuestro", "solo_suyo", "otro_monto", "otro_estado"])
export type CaseKind = typeof CaseKind.Type

/** The life of a case. A note makes an open case noted. A closed case opens again if its facts change. */
export const CaseState = Schema.Literals(["abierto", "anotado", "cerrado"])
export type CaseState = typeof CaseState.Type

/** The status, amount and time of a sale according to one side: Saldo or the provider's statement. */
interface CaseSide<Status> {
  readonly status: Status
  readonly amount: Centavos | null
  readonly at: DateTime.Utc | null
}

/** A difference between a provider's statement and the sales, with what operators found out about it. */
export interface Case {
  readonly id: CaseId
  readonly provider: ProviderName
  readonly kind: CaseKind
  readonly state: CaseState
  /** The xid or, if the statement has none, the provider's id. With provider and kind it identifies the case. */
  readonly reference: string
  readonly externalId: string | null
  readonly companyId: CompanyId | null
  readonly transactionId: TransactionId | null
  readonly ours: CaseSide<StatementStatus> | null
  readonly theirs: CaseSide<StatementStatus> | null
  /** Number of statement lines that show this difference. 0 if the sale is not in the statement. */
  readonly lines: number
  /** `line`: the number of the first of these lines. `file`: the name of the statement that was compared last. */
  readonly line: number | null
  readonly file: string
  readonly foundAt: DateTime.Utc
  readonly seenAt: DateTime.Utc
  /** When a later comparison of the same time span did not find the difference. Null if every comparison found it. */
  readonly goneAt: DateTime.Utc | null
}

/** An operator's note about a case. */
export interface CaseNote {
  readonly at: DateTime.Utc
  readonly operator: string
  readonly state: Exclude<CaseState, "abierto">
  readonly note: string
}

/** Longest note, in characters. */
export const caseNoteLength_max = 500

/** Whether operators may still note or close the case. The database has the same rule. */
export const isUnclosed = (state: CaseState): boolean => state !== "cerrado"
