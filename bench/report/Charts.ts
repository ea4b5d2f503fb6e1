import { type Figure, isMet } from "../support/Figures.ts"
import type { Sample } from "../support/Memory.ts"
import { amount, number } from "./Words.ts"

const width = 640
const left = 70
const span = width - left - 120
const bar = 18

const text = (x: number, y: number, words: string, attributes = ""): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${words}</text>`

const svg = (height: number, label: string, parts: ReadonlyArray<string>): string =>
  `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${parts.join("")}</svg>`

interface Bar {
  readonly name: string
  readonly value: number
  readonly rounds: ReadonlyArray<number>
  readonly kind: string
}

const barOf = ({ kind, name, rounds, value }: Bar, y: number, scale: number, unit: string): string => {
  const dots = rounds.map(
    (round) => `<circle class="round" cx="${(left + round * scale).toFixed(1)}" cy="${y + bar / 2}" r="2.5"/>`
  )
  const end = left + Math.max(value, ...rounds) * scale
  return [
    text(left - 8, y + bar - 5, name, 'class="name" text-anchor="end"'),
    `<rect class="${kind}" x="${left}" y="${y}" width="${Math.max(1, value * scale).toFixed(1)}" height="${bar}"/>`,
    ...dots,
    text(end + 8, y + bar - 5, amount(value, unit))
  ].join("")
}

/**
 * Both sides of a figure as bars, each round as a dot, and the goal as the line that ours has to reach, or stay below.
 */
export const bars = (figure: Figure): string => {
  const { goal, ours, rounds, theirs, unit, what } = figure
  if (theirs === null) return ""
  const goalAt = goal === null ? 0 : goal.value * theirs
  const scale = span / Math.max(goalAt, ours, theirs, ...rounds.flat())
  const met = isMet(figure)
  const sides: ReadonlyArray<Bar> = [
    { name: "Saldo", value: ours, rounds: rounds.map(([one]) => one), kind: met === false ? "ours missed" : "ours" },
    { name: "other", value: theirs, rounds: rounds.map(([, other]) => other), kind: "theirs" }
  ]
  const x = left + goalAt * scale
  const line =
    goal === null
      ? []
      : [
          `<line class="goal" x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="0" y2="${bar + 8}"/>`,
          `<title>goal: ${goal.is} ${number(goal.value)} times the other</title>`
        ]
  return svg(2 * bar + 14, what, [...sides.map((side, row) => barOf(side, 4 + row * (bar + 6), scale, unit)), ...line])
}

/** A server's memory over time. */
export const memory = (samples: ReadonlyArray<Sample>): string => {
  const height = 160
  const base = height - 24
  const seconds = Math.max(1, ...samples.map(({ at_s }) => at_s))
  const top_MB = Math.max(1, ...samples.map(({ rss_MB }) => rss_MB))
  const at = ({ at_s, rss_MB }: Sample) =>
    `${(left + (at_s / seconds) * span).toFixed(1)},${(base - (rss_MB / top_MB) * (base - 16)).toFixed(1)}`
  return svg(height, "Memory of the server", [
    `<line class="axis" x1="${left}" x2="${left + span}" y1="${base}" y2="${base}"/>`,
    `<polyline class="memory" points="${samples.map(at).join(" ")}"/>`,
    text(left - 8, 20, `${number(top_MB)} MB`, 'text-anchor="end"'),
    text(left - 8, base, "0", 'text-anchor="end"'),
    text(left + span, height - 6, `${number(seconds)} s`, 'text-anchor="end"')
  ])
}
