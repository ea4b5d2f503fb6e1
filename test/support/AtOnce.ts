import { Effect, Result } from "effect"

/** Runs all of them at once, and tells how each ended. */
export const atOnce = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.forEach(effects, Effect.result, { concurrency: "unbounded" })

/** Who was done, and who was refused by what, in order of the words. */
export const tagsOf = (results: ReadonlyArray<Result.Result<unknown, { readonly _tag: string }>>) =>
  results.map((result) => (Result.isSuccess(result) ? "done" : result.failure._tag)).sort()
