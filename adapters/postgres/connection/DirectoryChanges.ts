import { Context, Effect, Layer } from "effect"
import { PoolSize } from "./Database.ts"
import { invalidateOn } from "./TtlCache.ts"

/** How long after its start a process with a lazy pool listens. Most commands end before, so they open no connection for it. */
const lazyDelay = "1 second"

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
      const { connections_max, isLazy } = yield* PoolSize
      const listening = invalidateOn(
        "directory_changed",
        Effect.suspend(() => Effect.all(caches, { discard: true }))
      )
      // A pool with one connection has no listener, because a listener would occupy this connection. Without a listener,
      // cached values are up to 5 seconds old.
      if (connections_max !== 1) yield* isLazy ? Effect.forkScoped(Effect.delay(listening, lazyDelay)) : listening
      return { invalidate: (forget) => Effect.sync(() => void caches.push(forget)) }
    })
  )
}
