import type { TokenState } from "./Token.ts"

/** Actions that an operator takes in the console or on the command line. */
type ByHand =
  | "case_closed"
  | "case_noted"
  | "catalogue_imported"
  | "company_changed"
  | "company_created"
  | "deposit_asked"
  | "deposit_recorded"
  | "deposit_repeated"
  | "funding_confirmed"
  | "funding_proposed"
  | "funding_rejected"
  | "identity_linked"
  | "invitation_accepted"
  | "operator_changed"
  | "operator_invited"
  | "operator_reinvited"
  | "operator_token_issued"
  | "operator_token_removed"
  | "provider_asked"
  | "resolution_agreed"
  | "resolution_confirmed"
  | "resolution_proposed"
  | "service_enabled"
  | "service_restored"
  | "service_withdrawn"
  | "service_withheld"
  | "signed_in"
  | "signed_out"
  | "sign_in_refused"
  | "token_issued"
  | "token_rotated"
  | "statement_compared"
  | `token_${TokenState}`
  | "webhook_replayed"

/**
 * The actions in the audit log. Names that are no longer written stay in this list, because log entries are never
 * deleted.
 */
export type AuditAction = ByHand | LateOutcome | "foreign_company" | "webhook_disabled"

/** Audit actions for a provider's late firm answer that contradicts the outcome already settled. */
export const lateOutcomes = ["late_success", "late_refusal", "late_reversal", "late_reversal_refusal"] as const
export type LateOutcome = (typeof lateOutcomes)[number]
