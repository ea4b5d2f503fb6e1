import { Effect, Schedule } from "effect"
import type { Chance } from "../../simulation/engine/Chance.ts"
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
  /** Buys until everybody has been at every wish. */
  readonly run: Effect.Effect<void>
  /** Every errand on which somebody went. */
  readonly errands: ReadonlyArray<Errand>
  /** Waits until this share of all that is wanted has been tried. */
  readonly progress: (share: number) => Effect.Effect<void>
}

export const makeLoad = (
  servers: ReadonlyArray<Server>,
  lists: ReadonlyArray<ReadonlyArray<Wish>>,
  chance: Chance
): Load => {
  const total = lists.reduce((sum, { length }) => sum + length, 0)
  const errands: Array<Errand> = []
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
  return {
    run: Effect.forEach(lists, client, { concurrency: "unbounded", discard: true }),
    errands,
    progress: (share) =>
      Effect.sync(() => tried / total).pipe(
        Effect.repeat({ until: (now) => now >= share, schedule: Schedule.spaced("5 millis") }),
        Effect.asVoid
      )
  }
}
