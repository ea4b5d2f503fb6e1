import type { Result } from "../course/Simulation.ts"
import type { Script } from "../faults/Mishaps.ts"
import { generate } from "../ops/Generate.ts"
import type { Op } from "../ops/Op.ts"
import { minimize } from "./DeltaDebugging.ts"

/** A run that breaks the same law with less: what is left of its operations and of what went wrong. */
export interface Story {
  readonly ops: ReadonlyArray<Op>
  readonly result: Result
  /** How many operations and mishaps it had at first. */
  readonly whole: { readonly ops: number; readonly mishaps: number }
}

/**
 * Tells a failure with as little as it takes.
 *
 * @param run the operations with what is to go wrong.
 * @param tries_max how often it may be run to leave out operations, and how often to leave out mishaps.
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
