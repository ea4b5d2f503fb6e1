import { Duration } from "effect"
import type { LateOutcome } from "./AuditAction.ts"
import { StatusAnswer } from "./Recovery.ts"
import type { Status } from "./Status.ts"

/** A check asks the provider about each settled sale again, because the provider's answer may have changed. */
export interface Check {
  /** Name of the check: hours from the settlement until the question. */
  readonly hours: number
  readonly dueAfter: Duration.Duration
  /** Age from which this check skips a sale and leaves it to the next check. No check follows the last one. */
  readonly lateAfter: Duration.Duration
}

/** Hours from the settlement of a sale until each question. Contract: 3.1. */
const ages_h = [1, 6, 24, 48]

/** Hours from the settlement after which a sale is not checked any more. */
const end_h = 72

export const checks: ReadonlyArray<Check> = ages_h.map((hours, index) => ({
  hours,
  dueAfter: Duration.hours(hours),
  lateAfter: Duration.hours(ages_h[index + 1] ?? end_h)
}))

/** Statuses of the sales that the checks include. Reversed sales are not included. */
export type FollowedStatus = Extract<Status, "SUCCESS" | "FAILED">

/**
 * How an answer contradicts the settled status of a sale. Null if there is no contradiction. "Not found" contradicts
 * nothing, because a provider need not keep its records for days.
 */
export const contradictionOf = (status: FollowedStatus, answer: StatusAnswer): LateOutcome | null =>
  StatusAnswer.$match(answer, {
    Delivered: (): LateOutcome | null => (status === "FAILED" ? "late_success" : null),
    Refused: () => (status === "SUCCESS" ? "late_refusal" : null),
    TakenBack: () => (status === "SUCCESS" ? "late_reversal" : null),
    NotFound: () => null,
    NotAsked: () => null,
    Unknown: () => null
  })
