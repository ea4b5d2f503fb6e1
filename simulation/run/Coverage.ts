import { type Cell, cellOf, possibleCells } from "../faults/Cell.ts"

/** Each fault is to have been at each step where it can be at least so often. */
const hits_min = 10

/** From so many operations on that can be asked of a run; a shorter one is told what it has reached. */
const demandedFrom_ops = 60_000

/** How often each fault was at each step. */
export type Coverage = ReadonlyMap<Cell, number>

export const merged = (parts: Iterable<Iterable<readonly [Cell, number]>>): Coverage => {
  const all = new Map<Cell, number>(possibleCells.map(([step, fault]) => [cellOf(step, fault), 0]))
  for (const part of parts) for (const [cell, hits] of part) all.set(cell, (all.get(cell) ?? 0) + hits)
  return all
}

/** The cells that a run has not reached often enough. */
export const thin = (coverage: Coverage): ReadonlyArray<Cell> =>
  [...coverage].filter(([, hits]) => hits < hits_min).map(([cell]) => cell)

/** Whether a run of so many operations has to reach every cell. */
export const isDemanded = (operations: number): boolean => operations >= demandedFrom_ops
