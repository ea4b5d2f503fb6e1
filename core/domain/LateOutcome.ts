/**
 * A provider's firm answer that contradicts what was settled: goods without money, or money without goods. The audit
 * log tells of each by this name.
 */
export const lateOutcomes = ["late_success", "late_refusal", "late_reversal", "late_reversal_refusal"] as const
export type LateOutcome = (typeof lateOutcomes)[number]
