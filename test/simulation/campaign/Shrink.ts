import type { FaultScript } from "../engine/FaultInjector.ts"
import type { Operation } from "../operations/Operation.ts"
import type { RunResult } from "../run/Simulate.ts"

/**
 * Reduces a list to a small part that still shows a failure, by delta debugging. It removes halves, quarters and
 * smaller parts as long as the failure remains. Source: Zeller and Hildebrandt, Simplifying and Isolating
 * Failure-Inducing Input.
 *
 * @param shows whether a part of the list shows the failure. It is called at most `tries_max` times.
 */
const minimize = async <A>(
  whole: ReadonlyArray<A>,
  shows: (part: ReadonlyArray<A>) => Promise<boolean>,
  tries_max: number
): Promise<ReadonlyArray<A>> => {
  let kept = whole
  let parts = 2
  let tries = 0
  while (kept.length > 0 && tries < tries_max) {
    const size = Math.ceil(kept.length / parts)
    let found: ReadonlyArray<A> | null = null
    for (let from = 0; from < kept.length && found === null && tries < tries_max; from += size) {
      const without = [...kept.slice(0, from), ...kept.slice(from + size)]
      tries++
      if (await shows(without)) found = without
    }
    if (found !== null) {
      kept = found
      parts = Math.max(2, parts - 1)
    } else if (size === 1) return kept
    else parts = Math.min(kept.length, parts * 2)
  }
  return kept
}

/** A shrunk failure: a run that violates the same invariant with fewer operations and faults. */
export interface ShrunkScenario {
  readonly ops: ReadonlyArray<Operation>
  readonly result: RunResult
  /** Number of operations and faults before shrinking. */
  readonly whole: { readonly ops: number; readonly faults: number }
}

/**
 * Shrinks a failed run: removes operations, then faults, then operations again, as long as the same invariant is
 * violated.
 *
 * @param run runs the given operations with the given faults.
 * @param tries_max maximum number of runs for each of the three rounds.
 */
export const shrink = async (
  failed: RunResult,
  whole: ReadonlyArray<Operation>,
  run: (ops: ReadonlyArray<Operation>, script: FaultScript) => Promise<RunResult>,
  tries_max: number
): Promise<ShrunkScenario> => {
  const invariant = failed.violation?.invariant
  const script = failed.faults.happened
  let ops = whole
  let faults = [...script]
  const isSame = ({ violation }: RunResult) => violation?.invariant === invariant
  const showsWith = async (part: ReadonlyArray<Operation>) => isSame(await run(part, new Map(faults)))
  const showsAmid = async (part: typeof faults) => isSame(await run(ops, new Map(part)))

  ops = await minimize(ops, showsWith, tries_max)
  faults = [...(await minimize(faults, (part) => showsAmid([...part]), tries_max))]
  ops = await minimize(ops, showsWith, tries_max)
  const result = await run(ops, new Map(faults))
  return { ops, result, whole: { ops: whole.length, faults: script.size } }
}
