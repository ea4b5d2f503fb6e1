import { Effect } from "effect"
import { Chance } from "../simulation/engine/Chance.ts"
import { readBooks } from "./judge/Books.ts"
import { type Breach, judge } from "./judge/Laws.ts"
import { makeLoad, pursue } from "./load/Clients.ts"
import { type Errand, isFirm } from "./load/Errand.ts"
import { makeOffers } from "./load/Offers.ts"
import { type Kind, wishesOf } from "./load/Wish.ts"
import { type Mishap, wordsOf } from "./mishaps/Mishap.ts"
import { perform, type Scene } from "./mishaps/Perform.ts"
import { comeToRest } from "./Rest.ts"
import { Story } from "./Story.ts"
import type { Point } from "./server/Points.ts"
import { given } from "./stage/Customers.ts"
import { answering } from "./stage/Postgres.ts"
import type { Server } from "./stage/Server.ts"
import type { Stage } from "./stage/Stage.ts"

/** When all is whole again, a client tries so often and not oftener, even if he still is not answered. */
const triesInTheEnd_max = 30

/** How many of those who have a firm answer ask for it again. */
const asksAgain = 0.2

/** What a run remembers from one round to the next. */
export interface Run {
  readonly stage: Stage["Service"]
  readonly seed: number
  /** What no supplier will ever decide. */
  readonly undecided: Set<string>
  /** The points at which a server was killed or stopped. */
  readonly reached: Set<Point>
}

/** A round that is over. */
interface Played {
  readonly errands: ReadonlyArray<Errand>
  readonly breaches: ReadonlyArray<Breach>
  readonly story: ReadonlyArray<string>
}

/** Recovery of what has to be in trouble, if this is to be a crash of it. */
const troubledBy: Readonly<Partial<Record<Point, Kind>>> = {
  "before ask insurer": "insurance",
  "during ask insurer": "insurance",
  "after ask insurer": "insurance",
  "after claim reversals": "reversible",
  "before ask reversal": "reversible",
  "during ask reversal": "reversible",
  "after ask reversal": "reversible"
}

const troubled = (hand: ReadonlyArray<Mishap>): Kind | null => {
  for (const mishap of hand) if (mishap._tag === "KillRecovery") return troubledBy[mishap.point] ?? "plain"
  return null
}

/** Deals servers to those mishaps that need one for themselves; those that need both have both. */
const withServers = (hand: ReadonlyArray<Mishap>, servers: ReadonlyArray<Server>) => {
  const free = [...servers]
  return hand.map((mishap) => {
    const isOfOne = mishap._tag === "Kill" || mishap._tag === "Pause"
    return { mishap, servers: isOfOne ? free.splice(0, 1) : servers }
  })
}

const misfortune = Effect.fnUntraced(function* (
  { reached, stage }: Run,
  hand: ReadonlyArray<Mishap>,
  given: Pick<Scene, "chance" | "load" | "story">
) {
  const servers = given.chance.happens(0.5) ? stage.servers : stage.servers.toReversed()
  yield* Effect.forEach(
    withServers(hand, servers),
    ({ mishap, servers }) => perform({ ...given, stage, servers, reached }, mishap),
    { concurrency: "unbounded" }
  )
})

/** Everything that was broken is whole, and everything that is under way comes to its end. */
const heal = Effect.fnUntraced(function* (
  { stage, undecided }: Run,
  errands: ReadonlyArray<Errand>,
  chance: Chance,
  story: Story
) {
  const { operator, servers, suppliers, time } = stage
  yield* suppliers.behave
  yield* Effect.provide(answering, operator)
  yield* Effect.forEach(servers, ({ revive }) => revive, { concurrency: "unbounded" })
  const rests = Effect.provide(comeToRest(time, undecided), operator)
  story.tell((yield* rests) ? "recovery has come to rest" : "recovery does not come to rest")
  // Whoever does not know asks again, and some of those who do.
  const asking = errands.filter(({ answers }) => !answers.some(isFirm) || chance.happens(asksAgain))
  yield* Effect.forEach(asking, (errand) => pursue(servers, errand, triesInTheEnd_max), { concurrency: 8 })
  story.tell(`${asking.length} of ${errands.length} errands were asked about again`)
  story.tell((yield* rests) ? "recovery has come to rest" : "recovery does not come to rest")
})

/** Lets clients buy while what is dealt goes wrong, then heals everything and judges. */
export const play = Effect.fnUntraced(function* (run: Run, round: number, hand: ReadonlyArray<Mishap>) {
  const { seed, stage, undecided } = run
  const { customers, operator, servers, suppliers, time } = stage
  const story = new Story()
  for (const mishap of hand) story.tell(`to come: ${wordsOf(mishap)}`)
  const chance = new Chance(seed, `round ${round}`)
  const offers = yield* Effect.provide(time.on(makeOffers(customers, round)), operator)
  const place = { seed, round, offers, customers, troubled: troubled(hand) }
  const { lists, plans } = yield* Effect.provide(wishesOf(place), operator)
  yield* suppliers.play(plans)
  for (const { decision, xid } of plans) if (decision === "pending") undecided.add(xid)

  const load = makeLoad(servers, lists, new Chance(seed, `clients of round ${round}`))
  yield* Effect.all([load.run, misfortune(run, hand, { chance, load, story })], { concurrency: "unbounded" })
  story.tell(`clients have been on ${load.errands.length} errands`)
  yield* heal(run, load.errands, chance, story)

  const books = yield* Effect.provide(readBooks, operator)
  const told = yield* suppliers.truth
  const breaches = judge({ books, told, errands: load.errands, undecided, given })
  const ownEnds = servers.flatMap(({ name, ownEnds }) => ownEnds.map((code) => `${name} ended with ${code}`))
  return {
    errands: load.errands,
    breaches: [...breaches, ...ownEnds.map((what) => ({ law: "no server ends by itself", what }))],
    story: story.lines
  } satisfies Played
})
