import { Context, Effect, Layer } from "effect"
import { PoolSize } from "./Database.ts"
import { invalidateOn } from "./TtlCache.ts"

/** Invalidates caches of the directory when it changes. All caches share one listening connection. */
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
      // A listener would occupy the only connection of the pool. Cached values are then up to 5 seconds old.
      if ((yield* PoolSize) !== 1)
        yield* invalidateOn(
          "directory_changed",
          Effect.suspend(() => Effect.all(caches, { discard: true }))
        )
      return { invalidate: (forget) => Effect.sync(() => void caches.push(forget)) }
    })
  )
}
