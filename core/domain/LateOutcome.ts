/** A firm answer of the provider that contradicts the settled outcome. The audit log records it under this name. */
export const lateOutcomes = ["late_success", "late_refusal", "late_reversal", "late_reversal_refusal"] as const
export type LateOutcome = (typeof lateOutcomes)[number]
