import { SeededRandom } from "../../support/SeededRandom.ts"
import { simulatedCells } from "../process/CompaniesAndCatalogue.ts"
import { second_ms } from "./Gaps.ts"
import type { Action, Operation } from "./Operation.ts"

/** How long a cell is closed. */
const closed_min_ms = 5 * second_ms
const closed_max_ms = 600 * second_ms

/**
 * Closings of cells during other operations, in every third seed. They have random numbers of their own, so they change no other
 * operation.
 */
export const cellClosings = (seed: number, others: ReadonlyArray<Operation>): ReadonlyArray<Operation> => {
  if (seed % 3 !== 2) return []
  const chance = new SeededRandom(seed, "cells")
  const ops: Array<Operation> = []
  const add = (action: Action, at_ms: number) =>
    ops.push({ ...action, id: others.length + ops.length, at_ms, replica: chance.between(0, 1) })
  for (let left = Number(chance.weighted({ 1: 2, 2: 1 })); left > 0; left--) {
    const cell = chance.pick(simulatedCells)
    const { at_ms } = chance.pick(others)
    add({ do: "close cell", cell }, at_ms)
    add({ do: "open cell", cell }, at_ms + chance.between(closed_min_ms, closed_max_ms))
  }
  return ops
}
