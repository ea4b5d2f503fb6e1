import { Context, Effect, Layer } from "effect"
import { PoolSize } from "./Database.ts"
import { invalidateOn } from "./TtlCache.ts"

/**
 * Minimum size of a pool that spends a connection on listening. A smaller pool keeps its connections for transactions and
 * statements, so cached values are then up to 5 seconds old.
 */
const listeningPool_min = 3

/** Invalidates caches of the directory when the directory changes. All caches share one listening connection. */
export class DirectoryChanges extends Context.Service<
  DirectoryChanges,
  {
    /** Adds an effect that runs on each change, as long as the service exists. */
    readonly invalidate: (forget: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("saldo/adapters/DirectoryChanges") {
  static readonly layer = Layer.effect(
    DirectoryChanges,
    Effect.gen(function* () {
      const caches: Array<Effect.Effect<void>> = []
      if ((yield* PoolSize) >= listeningPool_min)
        yield* invalidateOn(
          "directory_changed",
          Effect.suspend(() => Effect.all(caches, { discard: true }))
        )
      return { invalidate: (forget) => Effect.sync(() => void caches.push(forget)) }
    })
  )
}
