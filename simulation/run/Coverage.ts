import { type Backend, type Cell, cellsOn } from "../faults/Cell.ts"

/** A minimum number of hits for each combination of step and fault. It applies from a number of operations on. */
interface Demand {
  readonly from_ops: number
  readonly hits_min: number
}

/**
 * The demands on coverage, by backend. A campaign below `from_ops` operations only reports its coverage. SQL demands
 * less, because its runs take ten times as long and its workflows are the same.
 */
export const demands: Readonly<Record<Backend, ReadonlyArray<Demand>>> = {
  memory: [{ from_ops: 60_000, hits_min: 10 }],
  sql: [
    { from_ops: 20_000, hits_min: 1 },
    { from_ops: 50_000, hits_min: 10 }
  ]
}

/** How often each fault hit each step. */
export type Coverage = ReadonlyMap<Cell, number>

export const merged = (backend: Backend, parts: Iterable<Iterable<readonly [Cell, number]>>): Coverage => {
  const all = new Map<Cell, number>(cellsOn(backend).map((cell) => [cell, 0]))
  for (const part of parts) for (const [cell, hits] of part) all.set(cell, (all.get(cell) ?? 0) + hits)
  return all
}

/** The combinations that were hit less often than demanded for this number of operations. */
export const thin = (backend: Backend, operations: number, coverage: Coverage): ReadonlyArray<Cell> => {
  const asked = demands[backend].filter(({ from_ops }) => operations >= from_ops)
  const hits_min = Math.max(0, ...asked.map((demand) => demand.hits_min))
  return [...coverage].filter(([, hits]) => hits < hits_min).map(([cell]) => cell)
}
