import { type Html, html } from "../../facade/docs/Html.ts"
import type { Frame } from "./Profile.ts"

const width = 1200
const row = 18
/** What would be narrower is left out. */
const narrowest = 1

interface Box {
  readonly name: string
  readonly share: number
  readonly x: number
  readonly depth: number
  readonly wide: number
}

const boxesOf = (all: Frame): ReadonlyArray<Box> => {
  const boxes: Array<Box> = []
  const draw = ({ children, name, time }: Frame, x: number, depth: number): void => {
    const wide = (width * time) / all.time
    if (wide < narrowest) return
    boxes.push({ name, share: time / all.time, x, depth, wide })
    let left = x
    for (const child of [...children.values()].toSorted((one, other) => other.time - one.time)) {
      draw(child, left, depth + 1)
      left += (width * child.time) / all.time
    }
  }
  draw(all, 0, 0)
  return boxes
}

const hues: ReadonlyArray<readonly [RegExp, number]> = [
  [/^(?:core|adapters|facade)\//, 140],
  [/^effect$|^@effect\//, 250],
  [/^node$/, 40],
  [/garbage/, 0]
]

const colourOf = (name: string): string => `hsl(${hues.find(([names]) => names.test(name))?.[1] ?? 200} 55% 78%)`

const perLetter = 6.2

const drawn = ({ depth, name, share, wide, x }: Box): Html => {
  const fits = name.slice(0, Math.floor((wide - 4) / perLetter))
  const y = depth * row
  return html`<g><title>${name}, ${(100 * share).toFixed(1)} %</title><rect x="${x.toFixed(1)}" y="${String(y)}" width="${(wide - 0.5).toFixed(1)}" height="${String(row - 1)}" fill="${colourOf(name)}"/><text x="${(x + 2).toFixed(1)}" y="${String(y + 13)}">${fits.length > 2 ? fits : ""}</text></g>`
}

/** A flame graph, hanging: what is below was called by what is above, and width is time. */
export const flameOf = (all: Frame): string => {
  const boxes = boxesOf(all)
  const height = row * (1 + Math.max(...boxes.map(({ depth }) => depth)))
  return `${
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" font-family="monospace" font-size="10">${boxes.map(drawn)}</svg>`
      .markup
  }\n`
}
