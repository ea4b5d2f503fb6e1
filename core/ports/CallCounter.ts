import { Context, type Effect } from "effect"
import type { Bucket, Window } from "../domain/RateLimit.ts"

/** What became of calls that asked to be counted. */
export interface Counted {
  /** False when the window had no room for them; then they were not counted. */
  readonly admitted: boolean
  readonly remaining: number
}

/** Counts calls a bucket and window. It always answers: a count that other processes share may be out of reach. */
export class CallCounter extends Context.Service<
  CallCounter,
  {
    /** With 0 calls it reads without counting. */
    readonly count: (bucket: Bucket, window: Window, calls: 0 | 1) => Effect.Effect<Counted>
  }
>()("saldo/core/CallCounter") {}
