import { PgClient } from "@effect/sql-pg"
import { Array as Arr, Deferred, Effect, Fiber, Layer, Redacted, Result } from "effect"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { testDatabaseUrl } from "./Database.ts"

/** Runs all of them at once, and tells how each ended. */
export const atOnce = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.forEach(effects, Effect.result, { concurrency: "unbounded" })

/** Who was done, and who was refused by what, in order of the words. */
export const tagsOf = (results: ReadonlyArray<Result.Result<unknown, { readonly _tag: string }>>) =>
  results.map((result) => (Result.isSuccess(result) ? "done" : result.failure._tag)).sort()

/** Takes a lock by a statement, and keeps it until it is released. */
export const holdingLock = Effect.fnUntraced(function* (statement: string) {
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

/** How many race for one thing. */
export const racers = 8

/**
 * Makes something on a connection that it shares with nobody. Calls that share a pool may go over one connection, and
 * there one waits for the other: they would never meet.
 */
export const onItsOwn = <A, E, R>(make: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const url = Redacted.make(yield* testDatabaseUrl)
    const connection = yield* Layer.build(Layer.fresh(Database.layer({ url, connections_max: 1 })))
    return yield* Effect.provide(make, connection)
  })

/** Makes as many as race, each as another server has it: they meet in Postgres only. */
export const racing = <A, E, R>(make: Effect.Effect<A, E, R>) => Effect.all(Arr.makeBy(racers, () => onItsOwn(make)))

/** So many rounds go on at once. Servers group the calls of different companies, so theirs go together. */
const rounds_max = 4

/** Runs rounds of a race, each in a company of its own, from `first` on. */
export const inRounds = <E, R>(
  { count, first }: { readonly count: number; readonly first: number },
  round: (company: number) => Effect.Effect<void, E, R>
): Effect.Effect<void, E, R> =>
  Effect.forEach(
    Arr.makeBy(count, (index) => first + index),
    round,
    { concurrency: rounds_max, discard: true }
  )
