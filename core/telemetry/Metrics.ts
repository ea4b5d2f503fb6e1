import { type Effect, Metric } from "effect"
import type { ServiceType } from "../domain/Service.ts"
import type { Status } from "../domain/Status.ts"

/**
 * The time series of a metric, by label values. Each series is created at its first use.
 *
 * @param labels names of the labels. Each label must have few possible values.
 */
export const seriesOf = <Labels extends string, M>(
  labels: ReadonlyArray<Labels>,
  make: (attributes: Metric.Metric.AttributeSet) => M
): ((values: Readonly<Record<Labels, string>>) => M) => {
  const known = new Map<string, M>()
  return (values) => {
    const key = labels.map((label) => values[label]).join("\n")
    const series = known.get(key) ?? make(values)
    known.set(key, series)
    return series
  }
}

const sales = seriesOf(["status", "tipo"], (attributes) =>
  Metric.counter("saldo_sales_total", {
    description: "Sales that reached a status, by type of service",
    incremental: true,
    attributes
  })
)

/** Counts a sale that has just reached a status. */
export const countSale = (status: Status, type: ServiceType): Effect.Effect<void> =>
  Metric.update(sales({ status, tipo: type }), 1)
