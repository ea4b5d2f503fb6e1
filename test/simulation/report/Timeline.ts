import { DateTime } from "effect"
import { dayOf } from "../../../core/domain/LocalTime.ts"
import { type Html, html } from "../../../facade/docs/Html.ts"
import { allFaults } from "../engine/Faults.ts"
import { type BalanceSample, simulationInvariants, type Trace } from "../engine/Simulation.ts"
import { startInstantOf } from "../operations/GenerateOperations.ts"
import type { RunResult } from "../run/Simulate.ts"

const left = 190
const width = 1_100
const lane = 14

/**
 * The horizontal position of a trace line. The distance between two lines is always the same, so time is not to scale.
 */
const placeOf =
  ({ lines }: Trace) =>
  (line: number): number =>
    left + (line / Math.max(1, lines.length)) * (width - left - 10)

const svg = (height: number, label: string, parts: ReadonlyArray<Html>): Html =>
  html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${parts}</svg>`

const at = (value: number): string => value.toFixed(1)

const label = (y: number, words: string): Html => html`<text x="${left - 8}" y="${y}" text-anchor="end">${words}</text>`

/** The trace lines at which a local day begins. */
const days = ({ seed, trace }: RunResult): ReadonlyArray<readonly [number, string]> => {
  const epoch_ms = startInstantOf(seed)
  let last = ""
  return trace.lines.flatMap(({ at_ms }, line) => {
    const day = dayOf(DateTime.makeUnsafe(epoch_ms + at_ms))
    if (day === last) return []
    last = day
    return [[line, day] as const]
  })
}

const band = (name: string, points: ReadonlyArray<readonly [number, number, number]>): Html => {
  const above = points.map(([x, , top]) => `${at(x)},${at(top)}`)
  const below = points.map(([x, bottom]) => `${at(x)},${at(bottom)}`).reverse()
  return html`<polygon class="${name}" points="${[...above, ...below].join(" ")}"/>`
}

/** Draws the balance of a company: the available amount at the bottom, the held amount on top of it. */
const balances = (result: RunResult, companyId: number, samples: ReadonlyArray<BalanceSample>): Html => {
  const height = 90
  const place = placeOf(result.trace)
  const most = Math.max(1, ...samples.map(({ available, held }) => available + held))
  const scale = (height - 22) / most
  const base = height - 16
  // A balance applies until the next sample.
  const steps = samples.flatMap((sample, index) => {
    const until = samples[index + 1]?.line ?? result.trace.lines.length
    return [
      { ...sample, x: place(sample.line) },
      { ...sample, x: place(until) }
    ]
  })
  return svg(height, `Balance of company ${companyId}`, [
    label(20, `company ${companyId}`),
    label(base, `maximum ${(most / 100).toLocaleString("en")}`),
    ...days(result).flatMap(([line, day]) => [
      html`<line class="day" x1="${at(place(line))}" x2="${at(place(line))}" y1="4" y2="${base}"/>`,
      html`<text x="${at(place(line) + 3)}" y="${height - 3}">${day}</text>`
    ]),
    band(
      "available",
      steps.map(({ available, x }) => [x, base, base - available * scale] as const)
    ),
    band(
      "held",
      steps.map(({ available, held, x }) => [x, base - available * scale, base - (available + held) * scale] as const)
    )
  ])
}

const ticks = (trace: Trace, y: number, marks: ReadonlyArray<readonly [number, string]>): ReadonlyArray<Html> => {
  const place = placeOf(trace)
  return [
    html`<line class="lane" x1="${left}" x2="${width - 10}" y1="${y + lane / 2}" y2="${y + lane / 2}"/>`,
    ...marks.map(
      ([line, words]) =>
        html`<line class="tick" x1="${at(place(line))}" x2="${at(place(line))}" y1="${y + 2}" y2="${y + lane - 2}"><title>${words}</title></line>`
    )
  ]
}

/** Draws when faults happened, with one lane for each fault. */
const faultLanes = ({ trace }: RunResult): Html =>
  svg(
    allFaults.length * lane,
    "Faults",
    allFaults.flatMap((fault, row) => [
      label(row * lane + 11, fault),
      ...ticks(
        trace,
        row * lane,
        trace.lines.flatMap((line, index) => (line.fault === fault ? [[index, line.what] as const] : []))
      )
    ])
  )

/** Draws when the processes of each replica were alive. */
const processLanes = ({ trace }: RunResult): Html => {
  const place = placeOf(trace)
  const names = [...new Set(trace.lines.filter(({ what }) => what === "starts").map(({ where }) => where))]
  return svg(
    2 * lane,
    "Live processes",
    names.flatMap((name) => {
      const row = name.startsWith("A") ? 0 : 1
      const of = (what: string) => trace.lines.findIndex((line) => line.where === name && line.what === what)
      const end = of("is killed")
      const y = row * lane + lane / 2
      return [
        label(row * lane + 11, `replica ${name.slice(0, 1)}`),
        html`<line class="alive" x1="${at(place(of("starts")))}" x2="${at(place(end === -1 ? trace.lines.length : end))}" y1="${y}" y2="${y}"><title>${name}</title></line>`
      ]
    })
  )
}

/** Draws one lane for each invariant. A mark shows where the run violated the invariant. */
const invariantLanes = ({ trace, violation }: RunResult): Html =>
  svg(
    simulationInvariants.length * lane,
    "Invariants",
    simulationInvariants.flatMap((invariant, row) => {
      const y = row * lane + lane / 2
      const end = placeOf(trace)(trace.lines.length)
      const isBroken = violation?.invariant === invariant
      return [
        label(row * lane + 11, invariant),
        html`<line class="invariant" x1="${left}" x2="${at(end)}" y1="${y}" y2="${y}"/>`,
        ...(isBroken ? [html`<rect class="broken" x="${at(end - 4)}" y="${y - 5}" width="8" height="10"/>`] : [])
      ]
    })
  )

/** Draws a whole run. */
export const timeline = (result: RunResult): Html => {
  const companyIds = [...new Set(result.trace.money.map(({ companyId }) => companyId))].sort()
  return html`
    <figure><figcaption>Balances: available, and held above it</figcaption>${companyIds.map((id) =>
      balances(
        result,
        id,
        result.trace.money.filter(({ companyId }) => companyId === id)
      )
    )}</figure>
    <figure><figcaption>Processes</figcaption>${processLanes(result)}</figure>
    <figure><figcaption>Faults</figcaption>${faultLanes(result)}</figure>
    <figure><figcaption>Invariants, checked during the run</figcaption>${invariantLanes(result)}</figure>`
}
