import type { LateOutcome } from "./LateOutcome.ts"
import type { TokenState } from "./Token.ts"

/** What an operator did. */
type ByHand =
  | "catalogue_imported"
  | "company_changed"
  | "company_created"
  | "deposit_asked"
  | "deposit_recorded"
  | "deposit_repeated"
  | "resolution_agreed"
  | "resolution_confirmed"
  | "resolution_proposed"
  | "service_enabled"
  | "service_withheld"
  | "token_issued"
  | "token_rotated"
  | `token_${TokenState}`

/** What the audit log tells of. What was told stays told, so a name that is no longer used stays readable. */
export type AuditAction = ByHand | LateOutcome | "foreign_company"
