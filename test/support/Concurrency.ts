import { PgClient } from "@effect/sql-pg"
import { Array as Arr, Deferred, Effect, Fiber, Layer, Redacted, Result } from "effect"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { testDatabaseUrl } from "./Database.ts"

/** Runs all effects at the same time and returns their results. */
export const atOnce = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.forEach(effects, Effect.result, { concurrency: "unbounded" })

/** Sorted outcomes: "done" for a success, the error tag for a failure. */
export const tagsOf = (results: ReadonlyArray<Result.Result<unknown, { readonly _tag: string }>>) =>
  results.map((result) => (Result.isSuccess(result) ? "done" : result.failure._tag)).sort()

/** Acquires a lock by running a statement, and holds the lock until `release` runs. */
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

/** The number of connections to the test database that wait for a lock. */
export const waitingForLocks = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return rows.length
})

/** Number of concurrent participants of a race. */
export const racers = 8

/**
 * Runs an effect on its own connection. With a shared pool, two calls may use the same connection and then run one
 * after the other instead of at the same time.
 */
export const onItsOwn = <A, E, R>(make: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const url = Redacted.make(yield* testDatabaseUrl)
    const connection = yield* Layer.build(Layer.fresh(Database.layer({ url, connections_max: 1 })))
    return yield* Effect.provide(make, connection)
  })

/** Builds one instance for each participant of a race. Like several servers, the instances share only Postgres. */
export const racing = <A, E, R>(make: Effect.Effect<A, E, R>) => Effect.all(Arr.makeBy(racers, () => onItsOwn(make)))

/**
 * Number of rounds of a race that run at the same time. Rounds overlap, so that the servers also group calls of
 * different companies.
 */
const rounds_max = 4

/** Runs rounds of a race. Each round has its own company, numbered from `first`. */
export const inRounds = <E, R>(
  { count, first }: { readonly count: number; readonly first: number },
  round: (company: number) => Effect.Effect<void, E, R>
): Effect.Effect<void, E, R> =>
  Effect.forEach(
    Arr.makeBy(count, (index) => first + index),
    round,
    { concurrency: rounds_max, discard: true }
  )
