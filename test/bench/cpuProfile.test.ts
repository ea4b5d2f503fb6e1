import { describe, expect, it } from "vitest"
import { flameGraph, ownShares, readProfile } from "./report/CpuProfile.ts"

const call = (functionName: string, url: string) => ({ functionName, url })

// The profile lasts 100 µs: 20 idle, 20 module loading, and 60 in calls. Of the 60 µs, effect takes 10, our file 30 and
// the garbage collector 20.
const profile = JSON.stringify({
  nodes: [
    { id: 1, callFrame: call("(root)", ""), children: [2, 3, 4, 8] },
    { id: 2, callFrame: call("(idle)", "") },
    { id: 3, callFrame: call("(garbage collector)", "") },
    { id: 4, callFrame: call("run", "file:///srv/node_modules/effect/dist/a.js"), children: [5] },
    { id: 5, callFrame: call("go", "file:///srv/node_modules/effect/dist/b.js"), children: [6] },
    { id: 6, callFrame: call("sell", "file:///srv/core/workflows/Sell.ts") },
    { id: 8, callFrame: call("compile", "node:internal/modules/esm/utils"), children: [9] },
    { id: 9, callFrame: call("wait", "") }
  ],
  samples: [2, 3, 5, 6, 9],
  timeDeltas: [20, 20, 10, 30, 20]
})

describe("a CPU profile of the server", () => {
  it("attributes own time to each part, without idle time and module loading", () => {
    const shares = new Map(ownShares(readProfile(profile)).map(([name, share]) => [name, share.toFixed(2)]))
    expect(Object.fromEntries(shares)).toMatchObject({
      "core/workflows/Sell": "0.50",
      "(garbage collector)": "0.33",
      effect: "0.17"
    })
  })

  it("names the files of this repository, in any folder", () => {
    const names = ["facade/Server", "core/workflows/Sell", "adapters/provider/dtone/Dispatch"]
    const nodes = names.map((name, index) => ({
      id: index + 1,
      callFrame: call("run", `file:///srv/${name}.ts`)
    }))
    const samples = nodes.map(({ id }) => id)
    const all = readProfile(JSON.stringify({ nodes, samples, timeDeltas: samples }))
    expect([...all.children.keys()]).toEqual(names)
  })

  it("merges calls between functions of one library", () => {
    const effect = readProfile(profile).children.get("effect")
    expect(effect?.time).toBe(40)
    expect([...(effect?.children.keys() ?? [])]).toEqual(["core/workflows/Sell"])
  })

  it("is drawn with widths in proportion to time", () => {
    const drawn = flameGraph(readProfile(profile))
    expect(drawn).toContain("<title>effect, 66.7 %</title>")
    expect(drawn).toMatch(/^<svg .*<\/svg>\n$/s)
  })
})
