import type { TokenState } from "./Token.ts"

/** Actions of an operator. */
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
  | "service_restored"
  | "service_withdrawn"
  | "service_withheld"
  | "token_issued"
  | "token_rotated"
  | `token_${TokenState}`
  | "webhook_replayed"

/** The actions in the audit log. Entries are never deleted, so a name that is no longer written must stay readable. */
export type AuditAction = ByHand | LateOutcome | "foreign_company" | "webhook_disabled"

/** Names in the audit log of a provider's firm answer that contradicts the settled outcome. */
export const lateOutcomes = ["late_success", "late_refusal", "late_reversal", "late_reversal_refusal"] as const
export type LateOutcome = (typeof lateOutcomes)[number]
