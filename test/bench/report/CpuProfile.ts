import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { type Html, html } from "../../../facade/docs/Html.ts"

const width = 1200
const row = 18
/** Width in pixels below which a box is left out. */
const width_min = 1

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
    if (wide < width_min) return
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

const boxHtml = ({ depth, name, share, wide, x }: Box): Html => {
  const fits = name.slice(0, Math.floor((wide - 4) / perLetter))
  const y = depth * row
  return html`<g><title>${name}, ${(100 * share).toFixed(1)} %</title><rect x="${x.toFixed(1)}" y="${String(y)}" width="${(wide - 0.5).toFixed(1)}" height="${String(row - 1)}" fill="${colourOf(name)}"/><text x="${(x + 2).toFixed(1)}" y="${String(y + 13)}">${fits.length > 2 ? fits : ""}</text></g>`
}

/**
 * Draws a flame graph from top to bottom. The boxes directly below a box are the parts that it called. The width of a
 * box is its time.
 */
export const flameGraph = (all: Frame): string => {
  const boxes = boxesOf(all)
  const height = row * (1 + Math.max(...boxes.map(({ depth }) => depth)))
  return `${
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" font-family="monospace" font-size="10">${boxes.map(boxHtml)}</svg>`
      .markup
  }\n`
}

/** A CPU profile of V8: the nodes of the call tree, and the node that ran at each sample. Durations are in µs. */
const CpuProfile = Schema.Struct({
  nodes: Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      callFrame: Schema.Struct({ functionName: Schema.String, url: Schema.String }),
      children: Schema.optionalKey(Schema.Array(Schema.Int))
    })
  ),
  samples: Schema.Array(Schema.Int),
  timeDeltas: Schema.Array(Schema.Int)
})

type ProfiledCall = (typeof CpuProfile.Type)["nodes"][number]["callFrame"]

/** A part of the program with its callees, and the total time spent in them. */
export interface Frame {
  readonly name: string
  time: number
  readonly children: Map<string, Frame>
}

const emptyFrame = (name: string): Frame => ({ name, time: 0, children: new Map() })

const packageOf = /node_modules\/((?:@[^/]+\/)?[^/]+)\//
const ownFile = /\/((?:core|adapters|facade)\/(?:\w+\/)*[\w.]+)\.ts$/

/** The part to which a call belongs: a library as a whole, or one file of this repository. */
const nameOf = ({ functionName, url }: ProfiledCall): string => {
  if (url === "") return functionName === "" ? "(native)" : functionName
  if (url.startsWith("node:")) return "node"
  return packageOf.exec(url)?.[1] ?? ownFile.exec(url)?.[1] ?? "(other)"
}

const ignored = new Set(["(root)", "(idle)"])

// Module loading is left out, because it ends before the first call.
const isStart = ({ functionName, url }: ProfiledCall): boolean =>
  url.startsWith("node:internal/modules/") || functionName === "compileSourceTextModule"

/** Reads a V8 profile into frames. Nested calls of one library become one frame, and module loading is left out. */
export const readProfile = (text: string): Frame => {
  const { nodes, samples, timeDeltas } = Schema.decodeSync(Schema.fromJsonString(CpuProfile))(text)
  const calls = new Map(nodes.map(({ callFrame, id }) => [id, callFrame]))
  const parents = new Map(nodes.flatMap(({ children = [], id }) => children.map((child) => [child, id] as const)))
  const pathOf = (id: number): ReadonlyArray<string> | null => {
    const path: Array<string> = []
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const call = calls.get(at)
      if (call === undefined || call.functionName === "(idle)" || isStart(call)) return null
      const name = nameOf(call)
      if (!ignored.has(name) && path.at(-1) !== name) path.push(name)
    }
    return path.reverse()
  }
  const paths = new Map(nodes.map(({ id }) => [id, pathOf(id)]))
  const all = emptyFrame("all")
  for (const [index, id] of samples.entries()) {
    const path = paths.get(id) ?? null
    if (path === null) continue
    const time = timeDeltas[index] ?? 0
    let at = all
    at.time += time
    for (const name of path) {
      const next: Frame = at.children.get(name) ?? emptyFrame(name)
      at.children.set(name, next)
      next.time += time
      at = next
    }
  }
  return all
}

/** Own time of each part, without the parts that it calls, as a share of the total; largest first. */
export const ownShares = (all: Frame): ReadonlyArray<readonly [name: string, share: number]> => {
  const own = new Map<string, number>()
  const add = ({ children, name, time }: Frame): void => {
    const below = [...children.values()].reduce((sum, child) => sum + child.time, 0)
    own.set(name, (own.get(name) ?? 0) + time - below)
    for (const child of children.values()) add(child)
  }
  add(all)
  return [...own].map(([name, time]) => [name, time / all.time] as const).toSorted(([, a], [, b]) => b - a)
}

const shares_max = 20

/** Draws the latest profile of a directory, and returns the largest own times as text. */
export const drawProfile = (directory: string): string => {
  const latest = readdirSync(directory)
    .filter((name) => name.endsWith(".cpuprofile"))
    .map((name) => join(directory, name))
    .toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)[0]
  if (latest === undefined) return "The server wrote no profile."
  const all = readProfile(readFileSync(latest, "utf8"))
  const drawing = join(directory, "flame.svg")
  writeFileSync(drawing, flameGraph(all))
  const lines = ownShares(all)
    .slice(0, shares_max)
    .map(([name, share]) => `${(100 * share).toFixed(1).padStart(5)} %  ${name}`)
  return [`Own time of each part of the server (flame graph: ${drawing}):`, ...lines].join("\n")
}
