import { Context, type Effect } from "effect"
import type { Bucket, Counted, Window } from "../domain/RateLimit.ts"

/** Counts calls a bucket and window. It always answers: a count that other processes share may be out of reach. */
export class CallCounter extends Context.Service<
  CallCounter,
  {
    /** With 0 calls it reads without counting. What it answers is `countedIn` of this window. */
    readonly count: (bucket: Bucket, window: Window, calls: 0 | 1) => Effect.Effect<Counted>
  }
>()("saldo/core/CallCounter") {}
