import type { Result } from "../course/Simulation.ts"
import type { Script } from "../faults/Mishaps.ts"
import { generate } from "../ops/Generate.ts"
import type { Op } from "../ops/Op.ts"
import { minimize } from "./DeltaDebugging.ts"

/** A shrunk failure: a run that violates the same invariant with fewer operations and faults. */
export interface Story {
  readonly ops: ReadonlyArray<Op>
  readonly result: Result
  /** Number of operations and faults before shrinking. */
  readonly whole: { readonly ops: number; readonly mishaps: number }
}

/**
 * Shrinks a failed run: removes operations, then faults, then operations again, as long as the same invariant is
 * violated.
 *
 * @param run runs the given operations with the given faults.
 * @param tries_max maximum number of runs for each of the three rounds.
 */
export const shrink = async (
  failed: Result,
  length: number,
  run: (ops: ReadonlyArray<Op>, script: Script) => Promise<Result>,
  tries_max: number
): Promise<Story> => {
  const law = failed.violation?.law
  const whole = generate(failed.seed, length)
  const script = failed.mishaps.happened
  let ops = whole
  let mishaps = [...script]
  const isSame = ({ violation }: Result) => violation?.law === law
  const showsWith = async (part: ReadonlyArray<Op>) => isSame(await run(part, new Map(mishaps)))
  const showsAmid = async (part: typeof mishaps) => isSame(await run(ops, new Map(part)))

  ops = await minimize(ops, showsWith, tries_max)
  mishaps = [...(await minimize(mishaps, (part) => showsAmid([...part]), tries_max))]
  ops = await minimize(ops, showsWith, tries_max)
  const result = await run(ops, new Map(mishaps))
  return { ops, result, whole: { ops: whole.length, mishaps: script.size } }
}
