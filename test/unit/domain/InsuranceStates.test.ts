import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Result, Struct } from "effect"
import { StepOutOfOrder } from "../../../core/domain/InsuranceErrors.ts"
import { InsuranceState } from "../../../core/domain/InsuranceState.ts"
import {
  afterEvent,
  type InsuranceEvent,
  insuranceTransitions,
  statesBefore
} from "../../../core/domain/InsuranceTransitions.ts"
import { insurancePage, insurancePageFile } from "../../../scripts/insuranceStates.ts"

const states = InsuranceState.literals

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

const short = new Map([
  ["ini", "iniciada"],
  ["env", "otp_enviado"],
  ["val", "otp_validado"],
  ["pla", "plan_confirmado"],
  ["cot", "cotizado"],
  ["cob", "cobrando"],
  ["emi", "emitiendo"],
  ["ida", "emitida"],
  ["fal", "fallida"]
])

// The state that each event makes of each; a dot is out of order.
const table = `
                 ini env val pla cot cob emi ida fal
  code_sent      env env  .   .   .   .   .   .   .
  code_resent    ini env  .   .   .   .   .   .   .
  code_verified  val val  .   .   .   .   .   .   .
  plans_read      .   .  val pla cot  .   .   .   .
  plan_chosen     .   .  pla pla pla  .   .   .   .
  quoted          .   .   .  cot cot  .   .   .   .
  claimed         .   .   .   .  cob  .   .   .   .
  issuing         .   .   .   .   .  emi  .   .   .
  held            .   .   .   .   .  emi emi  .   .
  issued          .   .   .   .   .  ida ida  .   .
  refused         .   .   .   .   .  fal fal  .   .
  freed           .   .   .   .   .  cot cot  .   .
`

const [heads = [], ...rows] = table
  .trim()
  .split("\n")
  .map((line) => line.trim().split(/\s+/))

const pairs = rows.flatMap(([event, ...cells]) =>
  cells.map((cell, index) => [short.get(heads[index] ?? ""), event, short.get(cell) ?? "out of order"] as const)
) as unknown as ReadonlyArray<readonly [InsuranceState, InsuranceEvent, InsuranceState | "out of order"]>

describe("the states of an insurance", () => {
  it("are asked about every event in every state", () => {
    const asked = new Set(pairs.map(([state, event]) => `${state} ${event}`))
    const possible = states.flatMap((state) => Object.keys(insuranceTransitions).map((event) => `${state} ${event}`))
    expect([...asked].sort()).toEqual(possible.sort())
  })

  it.each(pairs)("%s, %s: %s", (state, event, expected) => {
    expect(afterEvent(state, event)).toEqual(
      expected === "out of order" ? Result.fail(new StepOutOfOrder({ state })) : Result.succeed(expected)
    )
    expect(statesBefore(event).includes(state)).toBe(expected !== "out of order")
  })

  it.each(["emitida", "fallida"] as const)("end in %s, which nothing leaves", (state) => {
    expect(pairs.filter(([from, , to]) => from === state && to !== "out of order")).toEqual([])
  })
})
