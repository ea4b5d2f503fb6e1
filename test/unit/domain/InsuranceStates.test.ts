import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Result, Struct } from "effect"
import {
  afterEvent,
  type InsuranceEvent,
  InsuranceState,
  insuranceTransitions,
  StepOutOfOrder,
  statesBefore
} from "../../../core/domain/InsuranceState.ts"
import { insurancePage, insurancePageFile } from "../../../scripts/insuranceStates.ts"

const states = InsuranceState.literals

const page = insurancePage()

/** The cells of each row that begins with this cell. */
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
  it("equals its generated text (run `npm run docs:insurance` to update it)", () => {
    expect(readFileSync(insurancePageFile, "utf8")).toBe(page)
  })

  it.each(events)("states the effect of %s in every state", (event) => {
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

  it("draws exactly one arrow for every transition", () => {
    const drawn = [...page.matchAll(/^ {2}(\w+) --> (\w+): /gm)].map(([, from, to]) => `${from} ${to}`)
    const changes = events.flatMap((event) =>
      Object.entries(insuranceTransitions[event]).map(([from, to]) => [from, to] as const)
    )
    const wanted = changes.filter(([from, to]) => from !== to).map(([from, to]) => `${from} ${to}`)
    expect(drawn.toSorted()).toEqual([...new Set(wanted)].toSorted())
  })

  it("begins at the first state and ends at the final states", () => {
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

// The state after each event in each state. A dot means that the event is out of order.
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
  it("are tested for every event in every state", () => {
    const asked = new Set(pairs.map(([state, event]) => `${state} ${event}`))
    const possible = states.flatMap((state) => Object.keys(insuranceTransitions).map((event) => `${state} ${event}`))
    expect([...asked].sort()).toEqual(possible.sort())
  })

  it.each(pairs)("change from %s on the event %s to %s", (state, event, expected) => {
    expect(afterEvent(state, event)).toEqual(
      expected === "out of order" ? Result.fail(new StepOutOfOrder({ state })) : Result.succeed(expected)
    )
    expect(statesBefore(event).includes(state)).toBe(expected !== "out of order")
  })

  it.each(["emitida", "fallida"] as const)("include the final state %s", (state) => {
    expect(pairs.filter(([from, , to]) => from === state && to !== "out of order")).toEqual([])
  })
})
