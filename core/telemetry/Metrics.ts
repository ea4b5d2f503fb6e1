import { type Effect, Metric } from "effect"
import type { ServiceType } from "../domain/Service.ts"
import type { Status } from "../domain/Status.ts"

/** Node of the lookup tree: one level per label. */
interface Branch<M> {
  readonly next: Map<string, Branch<M>>
  series: M | undefined
}

// One level per label avoids building a combined key for every lookup.
const branchOf = <M>({ next }: Branch<M>, value: string): Branch<M> => {
  const known = next.get(value)
  if (known !== undefined) return known
  const branch: Branch<M> = { next: new Map(), series: undefined }
  next.set(value, branch)
  return branch
}

/**
 * The time series of a metric, by label values. Each is created at its first use, so that counting a sale allocates
 * nothing.
 *
 * @param labels names of the labels. Their values must come from short lists.
 */
export const seriesOf = <Labels extends string, M>(
  labels: ReadonlyArray<Labels>,
  make: (attributes: Metric.Metric.AttributeSet) => M
): ((values: Readonly<Record<Labels, string>>) => M) => {
  const known: Branch<M> = { next: new Map(), series: undefined }
  return (values) => {
    let branch = known
    for (const label of labels) branch = branchOf(branch, values[label])
    branch.series ??= make(values)
    return branch.series
  }
}

const sales = seriesOf(["status", "tipo"], (attributes) =>
  Metric.counter("saldo_sales_total", {
    description: "Sales that came to a status, by type of service",
    incremental: true,
    attributes
  })
)

/** Counts a sale that has just reached a status. */
export const countSale = (status: Status, type: ServiceType): Effect.Effect<void> =>
  Metric.update(sales({ status, tipo: type }), 1)
