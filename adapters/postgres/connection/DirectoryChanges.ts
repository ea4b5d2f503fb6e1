import { Context, Effect, Layer } from "effect"
import { PoolSize } from "./Database.ts"
import { invalidateOn } from "./TtlCache.ts"

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
      // A pool with one connection has no listener, because a listener would occupy this connection. Cached values are then
      // up to 5 seconds old.
      if ((yield* PoolSize) !== 1)
        yield* invalidateOn(
          "directory_changed",
          Effect.suspend(() => Effect.all(caches, { discard: true }))
        )
      return { invalidate: (forget) => Effect.sync(() => void caches.push(forget)) }
    })
  )
}
