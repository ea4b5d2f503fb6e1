import { useEffect, useRef } from "preact/hooks"
import uPlot from "uplot"
import { Table } from "./Table.tsx"

/** A line or a row of bars of a chart. */
interface Series {
  readonly label: string
  readonly values: ReadonlyArray<number | null>
  /** Earlier values for comparison are drawn dashed. */
  readonly isEarlier?: boolean
}

interface ChartProps {
  readonly title: string
  /** The names of the points on the horizontal axis. */
  readonly points: ReadonlyArray<string>
  readonly series: ReadonlyArray<Series>
  readonly format: (value: number) => string
}

const height_px = 220
const axis_px = 110

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

const optionsOf = ({ format, points, series }: ChartProps, width: number): uPlot.Options => {
  const text = colour("--text-soft")
  const grid = { stroke: colour("--line"), width: 1 }
  return {
    width,
    height: height_px,
    scales: { x: { time: false } },
    legend: { show: series.length > 1 },
    axes: [
      { stroke: text, grid, values: (_, ticks) => ticks.map((tick) => points[tick] ?? "") },
      { stroke: text, grid, size: axis_px, values: (_, ticks) => ticks.map(format) }
    ],
    series: [
      { label: "Punto", value: (_, point) => points[point] ?? "" },
      ...series.map(({ isEarlier = false, label }, place) => ({
        label,
        stroke: colour(isEarlier ? "--text-soft" : `--chart-${(place % 3) + 1}`),
        width: isEarlier ? 1 : 2,
        ...(isEarlier && { dash: [4, 4] }),
        value: (_: uPlot, value: number | null) => (value === null ? "—" : format(value))
      }))
    ]
  }
}

/** A line chart, and a table with the same values for users of a keyboard or a screen reader. */
export const Chart = (props: ChartProps) => {
  const { format, points, series, title } = props
  const frame = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const shown = JSON.stringify([points, series])
  // `shown` contains every value that the chart draws.
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const current = latest.current
    const data: uPlot.AlignedData = [
      current.points.map((_, place) => place),
      ...current.series.map(({ values }) => [...values])
    ]
    const plot = new uPlot(optionsOf(current, element.clientWidth), data, element)
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: height_px }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [shown])
  const columns = [
    { title: "Punto", cell: (place: number) => points[place] ?? "" },
    ...series.map(({ label, values }) => ({
      title: label,
      isNumber: true,
      cell: (place: number) => {
        const value = values[place] ?? null
        return value === null ? "—" : format(value)
      }
    }))
  ]
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div ref={frame} class="chart" role="img" aria-label={`${title}. La tabla que sigue tiene los mismos valores.`} />
      <details>
        <summary>Ver los valores</summary>
        <Table
          caption={title}
          columns={columns}
          rows={points.map((_, place) => place)}
          keyOf={(place) => place}
          empty="Sin valores."
        />
      </details>
    </figure>
  )
}
