import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber } from "effect"

/** Takes a lock by a statement, and keeps it until it is released. */
export const holding = Effect.fnUntraced(function* (statement: string) {
  const sql = yield* PgClient.PgClient
  const held = yield* Deferred.make<void>()
  const released = yield* Deferred.make<void>()
  const holder = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql.unsafe(statement)
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(released)
      })
    )
  )
  yield* Deferred.await(held)
  return { release: Effect.andThen(Deferred.succeed(released, undefined), Fiber.join(holder)) }
})
