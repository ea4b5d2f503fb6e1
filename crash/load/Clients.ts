import { Deferred, Effect, Schedule } from "effect"
import type { Chance } from "../../tools/Chance.ts"
import type { Server } from "../stage/Server.ts"
import { call } from "./Call.ts"
import { type Errand, isDone, isToBeRepeated } from "./Errand.ts"
import type { Wish } from "./Wish.ts"

/** Between two tries with one key. The contract recommends two seconds; a run has less patience. */
const pause = "60 millis"

/** A client that has tried so often does something else first. */
const tries_max = 6

/** Tries, each time at the other server, until there is an answer after which a client tries no more. */
export const pursue = Effect.fnUntraced(function* (servers: ReadonlyArray<Server>, errand: Errand, tries = tries_max) {
  for (let left = tries; left > 0; left--) {
    const server = servers[errand.answers.length % servers.length]
    const answer = yield* call(server?.url() ?? "", errand)
    errand.answers.push(answer)
    if (!isToBeRepeated(answer)) return
    yield* Effect.sleep(pause)
  }
})

/** Clients at work. */
export interface Load {
  /** Buys until it is enough, or until everybody has been at every wish. Whoever waits for an answer then hangs up. */
  readonly run: Effect.Effect<void>
  readonly enough: Effect.Effect<void>
  /** Every errand on which somebody went. */
  readonly errands: ReadonlyArray<Errand>
  /** Waits until so many more wishes have been tried, if so many are left. */
  readonly progress: (wishes: number) => Effect.Effect<void>
  /** Waits until nobody buys any more. */
  readonly over: Effect.Effect<void>
}

export const makeLoad = (
  servers: ReadonlyArray<Server>,
  lists: ReadonlyArray<ReadonlyArray<Wish>>,
  chance: Chance
): Load => {
  const errands: Array<Errand> = []
  const enough = Deferred.makeUnsafe<void>()
  const over = Deferred.makeUnsafe<void>()
  let tried = 0

  const fulfil = Effect.fnUntraced(function* (turned: ReadonlyArray<Server>, { reversal, sale }: Wish) {
    errands.push(sale)
    yield* pursue(turned, sale)
    const sold = sale.answers.find(isDone)
    if (reversal === null || sold === undefined || sold.transactionId === null) return
    const back = reversal(sold.transactionId)
    errands.push(back)
    yield* pursue(turned, back)
  })
  const client = Effect.fnUntraced(function* (list: ReadonlyArray<Wish>, number: number) {
    const turned = number % 2 === 0 ? servers : servers.toReversed()
    for (const wish of list) {
      yield* fulfil(turned, wish)
      tried++
      yield* Effect.sleep(chance.between(5, 50))
    }
  })
  const buying = Effect.forEach(lists, client, { concurrency: "unbounded", discard: true })
  return {
    run: Effect.raceFirst(buying, Deferred.await(enough)).pipe(Effect.ensuring(Deferred.succeed(over, undefined))),
    enough: Effect.asVoid(Deferred.succeed(enough, undefined)),
    errands,
    progress: (wishes) =>
      Effect.suspend(() => {
        const goal = tried + wishes
        const there = Effect.repeat(
          Effect.sync(() => tried >= goal),
          { until: (isThere) => isThere, schedule: Schedule.spaced("5 millis") }
        )
        return Effect.raceFirst(Effect.asVoid(there), Deferred.await(over))
      }),
    over: Deferred.await(over)
  }
}
