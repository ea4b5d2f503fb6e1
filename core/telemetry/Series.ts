import type { Metric } from "effect"

/** What is known of the series whose first labels have certain values. */
interface Branch<M> {
  readonly next: Map<string, Branch<M>>
  series: M | undefined
}

// One text of all values would be a new one each time, to be read through by whoever looks it up.
const branchOf = <M>({ next }: Branch<M>, value: string): Branch<M> => {
  const known = next.get(value)
  if (known !== undefined) return known
  const branch: Branch<M> = { next: new Map(), series: undefined }
  next.set(value, branch)
  return branch
}

/**
 * A metric's series by their labels, each made the first time that it is asked for: what is counted at every sale must
 * not make anything at every sale.
 *
 * @param labels the names of the labels; their values come from short lists.
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
