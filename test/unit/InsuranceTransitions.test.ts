import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { StepOutOfOrder } from "../../core/domain/InsuranceErrors.ts"
import { InsuranceState } from "../../core/domain/InsuranceState.ts"
import {
  afterEvent,
  type InsuranceEvent,
  insuranceTransitions,
  statesBefore
} from "../../core/domain/InsuranceTransitions.ts"

const states = InsuranceState.literals

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
