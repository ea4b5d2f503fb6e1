import { type Backend, type Cell, cellsOn } from "../faults/Cell.ts"

/** From so many operations on, each fault has to have been at each step where it can be at least so often. */
interface Demand {
  readonly from_ops: number
  readonly hits_min: number
}

/**
 * What is asked of a run, by its length; a shorter one is only told what it has reached. The workflows and their steps
 * are the same on SQL, where a run takes ten times as long, so a shorter one has to have been everywhere once.
 */
export const demands: Readonly<Record<Backend, ReadonlyArray<Demand>>> = {
  memory: [{ from_ops: 60_000, hits_min: 10 }],
  sql: [
    { from_ops: 20_000, hits_min: 1 },
    { from_ops: 50_000, hits_min: 10 }
  ]
}

/** How often each fault was at each step. */
export type Coverage = ReadonlyMap<Cell, number>

export const merged = (backend: Backend, parts: Iterable<Iterable<readonly [Cell, number]>>): Coverage => {
  const all = new Map<Cell, number>(cellsOn(backend).map((cell) => [cell, 0]))
  for (const part of parts) for (const [cell, hits] of part) all.set(cell, (all.get(cell) ?? 0) + hits)
  return all
}

/** The cells that a run of so many operations has not reached as often as it has to. */
export const thin = (backend: Backend, operations: number, coverage: Coverage): ReadonlyArray<Cell> => {
  const asked = demands[backend].filter(({ from_ops }) => operations >= from_ops)
  const hits_min = Math.max(0, ...asked.map((demand) => demand.hits_min))
  return [...coverage].filter(([, hits]) => hits < hits_min).map(([cell]) => cell)
}
