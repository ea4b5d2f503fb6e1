import { Schema } from "effect"

/** A CPU profile as V8 writes it: nodes of a tree of calls, and which of them ran at each sample. Durations in µs. */
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

type Call = (typeof CpuProfile.Type)["nodes"][number]["callFrame"]

/** A part of the program and all that it called, with the time that was spent there. */
export interface Frame {
  readonly name: string
  time: number
  readonly children: Map<string, Frame>
}

const frame = (name: string): Frame => ({ name, time: 0, children: new Map() })

const packageOf = /node_modules\/((?:@[^/]+\/)?[^/]+)\//
const ownFile = /\/((?:core|adapters|facade)\/(?:\w+\/)*[\w.]+)\.ts$/

/** Whose code a call is, in words: libraries as a whole, our own by file. */
const nameOf = ({ functionName, url }: Call): string => {
  if (url === "") return functionName === "" ? "(native)" : functionName
  if (url.startsWith("node:")) return "node"
  return packageOf.exec(url)?.[1] ?? ownFile.exec(url)?.[1] ?? "(other)"
}

const notWork = new Set(["(root)", "(idle)"])

// Loading the modules is over before the first call.
const isStart = ({ functionName, url }: Call): boolean =>
  url.startsWith("node:internal/modules/") || functionName === "compileSourceTextModule"

/** Folds a profile of V8: calls of one library among themselves are one frame, and starting up is left out. */
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
      if (!notWork.has(name) && path.at(-1) !== name) path.push(name)
    }
    return path.reverse()
  }
  const paths = new Map(nodes.map(({ id }) => [id, pathOf(id)]))
  const all = frame("all")
  for (const [index, id] of samples.entries()) {
    const path = paths.get(id) ?? null
    if (path === null) continue
    const time = timeDeltas[index] ?? 0
    let at = all
    at.time += time
    for (const name of path) {
      const next: Frame = at.children.get(name) ?? frame(name)
      at.children.set(name, next)
      next.time += time
      at = next
    }
  }
  return all
}

/** What each spent itself, and not in what it called, as a share of all; the greatest first. */
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
