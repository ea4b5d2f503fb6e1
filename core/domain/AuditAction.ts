import { Schema } from "effect"

/** Audit actions for a provider's late firm answer that contradicts the outcome already settled. */
export const lateOutcomes = ["late_success", "late_refusal", "late_reversal", "late_reversal_refusal"] as const
export type LateOutcome = (typeof lateOutcomes)[number]

/**
 * The actions in the audit log. Names that are no longer written stay in this list, because log entries are never
 * deleted.
 */
export const AuditAction = Schema.Literals([
  "case_closed",
  "case_noted",
  "catalogue_imported",
  "cell_added",
  "cell_asked",
  "cell_closed",
  "cell_move_abandoned",
  "cell_move_begun",
  "cell_moved",
  "cell_opened",
  "company_changed",
  "company_created",
  "company_move_abandoned",
  "company_move_begun",
  "company_moved",
  "deposit_asked",
  "deposit_recorded",
  "deposit_repeated",
  "foreign_company",
  "funding_confirmed",
  "funding_proposed",
  "funding_rejected",
  "identity_linked",
  "invitation_accepted",
  ...lateOutcomes,
  "leftover_removed",
  "operator_changed",
  "operator_invited",
  "operator_reinvited",
  "operator_token_issued",
  "operator_token_removed",
  "provider_asked",
  "resolution_agreed",
  "resolution_confirmed",
  "resolution_proposed",
  "service_enabled",
  "service_restored",
  "service_withdrawn",
  "service_withheld",
  "sign_in_refused",
  "signed_in",
  "signed_out",
  "statement_compared",
  "token_active",
  "token_issued",
  "token_revoked",
  "token_rotated",
  "token_suspended",
  "webhook_disabled",
  "webhook_replayed"
])
export type AuditAction = typeof AuditAction.Type
