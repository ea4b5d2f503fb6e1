import { Effect, Metric } from "effect"
import { seriesOf } from "../domain/Series.ts"
import type { ServiceType } from "../domain/Service.ts"
import type { Status } from "../domain/Status.ts"

const sales = seriesOf(["status", "tipo"], (attributes) =>
  Metric.counter("saldo_sales_total", {
    description: "Sales that came to a status, by type of service",
    incremental: true,
    attributes
  })
)

/** Counts a sale that has just come to a status. */
export const countSale = (status: Status, type: ServiceType): Effect.Effect<void> =>
  Metric.update(sales({ status, tipo: type }), 1)

/** A provider's firm answer that contradicts what was settled: goods without money, or money without goods. */
const lateOutcomes = ["late_success", "late_refusal", "late_reversal", "late_reversal_refusal"] as const
type LateOutcome = (typeof lateOutcomes)[number]

const late = seriesOf(["kind"], (attributes) =>
  Metric.counter("saldo_late_outcomes_total", {
    description: "Firm answers of a provider that contradict what was settled",
    incremental: true,
    attributes
  })
)

export const countLateOutcome = (kind: LateOutcome): Effect.Effect<void> => Metric.update(late({ kind }), 1)

/** Shows what has not happened yet as none: an alarm that looks for a rise would not see a series begin. */
export const beginCounting = Effect.forEach(lateOutcomes, (kind) => Metric.update(late({ kind }), 0), { discard: true })
