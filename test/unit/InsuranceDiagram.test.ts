import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Result, Struct } from "effect"
import { InsuranceState } from "../../core/domain/InsuranceState.ts"
import { afterEvent, insuranceTransitions } from "../../core/domain/InsuranceTransitions.ts"
import { insurancePage, insurancePageFile } from "../../scripts/insuranceStates.ts"

const page = insurancePage()

/** The cells of a row that begins with this one. */
const rowsOf = (first: string): ReadonlyArray<ReadonlyArray<string>> =>
  page
    .split("\n")
    .filter((line) => line.startsWith(`| ${first} |`))
    .map((line) =>
      line
        .split("|")
        .slice(2, -1)
        .map((cell) => cell.trim())
    )

const events = Struct.keys(insuranceTransitions)
const states = InsuranceState.literals

describe("the page of the insurance states", () => {
  it("is on disk as it is generated: run `npm run docs:insurance` when it is not", () => {
    expect(readFileSync(insurancePageFile, "utf8")).toBe(page)
  })

  it.each(events)("says what %s makes of every state", (event) => {
    const [, made] = rowsOf(`\`${event}\``)
    expect(made).toEqual(
      states.map((state) =>
        Result.match(afterEvent(state, event), {
          onFailure: () => "—",
          onSuccess: (next) => (next === state ? "stays" : `→ ${next}`)
        })
      )
    )
  })

  it("draws an arrow for every change of state, and no other", () => {
    const drawn = [...page.matchAll(/^ {2}(\w+) --> (\w+): /gm)].map(([, from, to]) => `${from} ${to}`)
    const changes = events.flatMap((event) =>
      Object.entries(insuranceTransitions[event]).map(([from, to]) => [from, to] as const)
    )
    const wanted = changes.filter(([from, to]) => from !== to).map(([from, to]) => `${from} ${to}`)
    expect(drawn.toSorted()).toEqual([...new Set(wanted)].toSorted())
  })

  it("begins where an insurance begins, and ends where nothing can happen any more", () => {
    expect([...page.matchAll(/\[\*\] --> (\w+)/g)].map(([, state]) => state)).toEqual(["iniciada"])
    expect([...page.matchAll(/(\w+) --> \[\*\]/g)].map(([, state]) => state)).toEqual(["emitida", "fallida"])
  })
})
