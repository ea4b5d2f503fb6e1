import type { Metric } from "effect"

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
  const known = new Map<string, M>()
  return (values) => {
    let key = ""
    for (const label of labels) key += `${values[label]} `
    const found = known.get(key)
    if (found !== undefined) return found
    const series = make(values)
    known.set(key, series)
    return series
  }
}
