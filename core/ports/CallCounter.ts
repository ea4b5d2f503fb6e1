import { Context, type Effect } from "effect"
import type { Bucket, Counted, Window } from "../domain/RateLimit.ts"

/**
 * Counts calls per bucket and window. It never fails: when the shared counter is unreachable, each process counts
 * alone.
 */
export class CallCounter extends Context.Service<
  CallCounter,
  {
    /** Counts 1 call, or with 0 only reads. Returns `countedIn` of the window. */
    readonly count: (bucket: Bucket, window: Window, calls: 0 | 1) => Effect.Effect<Counted>
  }
>()("saldo/core/CallCounter") {}
