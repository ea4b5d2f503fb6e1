import { Array as Arr, Effect, Layer, Redacted } from "effect"
import * as Database from "../../adapters/postgres/Database.ts"
import { testDatabaseUrl } from "./Database.ts"

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
