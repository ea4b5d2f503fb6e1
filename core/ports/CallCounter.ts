import { Context, type Effect } from "effect"
import type { Bucket, Counted, Window } from "../domain/RateLimit.ts"

/**
 * Counts calls per bucket and window. Counting never fails: while the shared counter is unreachable, each process
 * counts alone.
 */
export class CallCounter extends Context.Service<
  CallCounter,
  {
    /** Counts `calls` calls in the window and returns the result. With 0 it only reads the count. */
    readonly count: (bucket: Bucket, window: Window, calls: 0 | 1) => Effect.Effect<Counted>
  }
>()("saldo/core/CallCounter") {}
