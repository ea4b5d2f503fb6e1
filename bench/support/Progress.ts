import { Context, Effect } from "effect"
import { inSteps, type Step } from "../../tools/Progress.ts"

/** How the benchmark was asked to run. */
export interface Options {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

/** Tells a person who waits what is going on and how long it will take. */
export class Progress extends Context.Service<Progress, { readonly options: Options; readonly step: Step }>()(
  "saldo/bench/Progress"
) {}

/** @param planned_s of all steps together. */
export const make = (options: Options, planned_s: number) =>
  Effect.map(inSteps(planned_s), (step) => Progress.of({ options, step }))
