/** A metric with its samples, by name and labels. */
interface Family {
  readonly head: Array<string>
  isGauge: boolean
  readonly samples: Map<string, number>
}

const numberOf = (text: string): number => (text === "+Inf" ? Number.POSITIVE_INFINITY : Number(text))

const textOf = (value: number): string => (value === Number.POSITIVE_INFINITY ? "+Inf" : String(value))

/** The larger value. An unknown value, NaN, counts only if the other value is unknown too. */
const later = (one: number, other: number): number =>
  Number.isNaN(one) ? other : Number.isNaN(other) ? one : Math.max(one, other)

const addText = (families: Map<string, Family>, text: string): void => {
  let family: Family | undefined
  for (const line of text.split("\n")) {
    const [, keyword, name = "", rest] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (keyword !== undefined) {
      family = families.get(name) ?? { head: [], isGauge: false, samples: new Map() }
      families.set(name, family)
      if (!family.head.includes(line)) family.head.push(line)
      if (keyword === "TYPE") family.isGauge = rest === "gauge"
      continue
    }
    const end = line.lastIndexOf(" ")
    if (family === undefined || end < 0) continue
    const sample = line.slice(0, end)
    const value = numberOf(line.slice(end + 1))
    const known = family.samples.get(sample)
    const merged = known === undefined ? value : family.isGauge ? later(known, value) : known + value
    family.samples.set(sample, merged)
  }
}

const format = (families: Iterable<Family>): string =>
  [...families]
    .flatMap(({ head, samples }) => [...head, ...[...samples].map(([sample, value]) => `${sample} ${textOf(value)}\n`)])
    .map((line) => line.trimEnd())
    .join("\n")

/**
 * Merges the metrics of several processes, in the text format of Prometheus. Counters and histograms are added. For a
 * gauge, the largest value is kept, because each gauge is either the time of a last event or a value that only one
 * process reads from the database.
 */
export const mergeMetrics = (texts: ReadonlyArray<string>): string => {
  const families = new Map<string, Family>()
  for (const text of texts) addText(families, text)
  return `${format(families.values())}\n`
}

/**
 * Adds the metrics of a process that has ended to those of the processes that ended earlier. Leaves out gauges, because
 * they describe only a running process.
 */
export const addEndedMetrics = (earlier: string, ended: string): string => {
  const families = new Map<string, Family>()
  for (const text of [earlier, ended]) addText(families, text)
  return `${format([...families.values()].filter(({ isGauge }) => !isGauge))}\n`
}
