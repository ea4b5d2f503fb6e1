import { Effect } from "effect"
import { Chance } from "../tools/Chance.ts"
import { readBooks } from "./judge/Books.ts"
import { type Breach, judge } from "./judge/Laws.ts"
import { makeLoad, pursue } from "./load/Clients.ts"
import { type Errand, hasHeard, isFirm } from "./load/Errand.ts"
import { makeOffers } from "./load/Offers.ts"
import { type Kind, wishesOf } from "./load/Wish.ts"
import type { Hand } from "./mishaps/Deal.ts"
import { type Mishap, pointOf, wordsOf } from "./mishaps/Mishap.ts"
import { perform, type Scene } from "./mishaps/Perform.ts"
import { type Point, wayOf } from "./server/Points.ts"
import { given } from "./stage/Customers.ts"
import { answering } from "./stage/Postgres.ts"
import { comeToRest } from "./stage/Rest.ts"
import type { Server } from "./stage/Server.ts"
import type { Stage } from "./stage/Stage.ts"
import type { Story } from "./stage/Story.ts"

/** When all is whole again, a client tries so often and not oftener, even if he still is not answered. */
const triesInTheEnd_max = 30

/** A machine that stands still undoes some of the healing. So often it does not. */
const turns_max = 4

/** How many of those who have a firm answer ask for it again. */
const asksAgain = 0.1

/** Quotes that may be bought during a hand, and during one that crashes insurance. */
const offers_usual = 4
const offers_insuring = 30

/** What a run remembers from one round to the next. */
export interface Run {
  readonly stage: Stage["Service"]
  readonly seed: number
  /** What no supplier will ever decide. */
  readonly undecided: Set<string>
  /** The points at which a server was killed or stopped. */
  readonly reached: Set<Point>
  /** The mishaps that happened as they were dealt. */
  readonly happened: Set<Mishap>
  /** How many vehicles have been offered insurance. */
  offered: number
}

/** What is dealt to a round. */
export interface Dealt {
  readonly round: number
  readonly hands: ReadonlyArray<Hand>
}

/** A round that is over. */
interface Played {
  readonly errands: ReadonlyArray<Errand>
  readonly breaches: ReadonlyArray<Breach>
}

const kindOfWay = { sale: "plain", reversal: "reversible", insurance: "insurance" } as const

/** What has to be sold for a server to come to a point. */
const kindAt = (point: Point): Kind => {
  const way = wayOf(point)
  if (way !== "recovery") return kindOfWay[way]
  if (point.endsWith("insurer")) return "insurance"
  return point.includes("reversal") ? "reversible" : "plain"
}

const kindsAt = (hand: Hand): ReadonlyArray<Kind> => hand.flatMap((mishap) => pointOf(mishap) ?? []).map(kindAt)

/** What has to be in trouble, if this is to be a crash of its recovery. */
const troubled = (hand: Hand): Kind | null => {
  for (const mishap of hand) if (mishap._tag === "KillRecovery") return kindAt(mishap.point)
  return null
}

/** Deals servers to those mishaps that need one for themselves; those that need both have both. */
const withServers = (hand: Hand, servers: ReadonlyArray<Server>) => {
  const free = [...servers]
  return hand.map((mishap) => {
    const isOfOne = mishap._tag === "Kill" || mishap._tag === "Pause"
    return { mishap, servers: isOfOne ? free.splice(0, 1) : servers }
  })
}

const misfortune = Effect.fnUntraced(function* (
  { happened, reached, stage }: Run,
  hand: Hand,
  given: Pick<Scene, "chance" | "load" | "story">
) {
  const servers = given.chance.happens(0.5) ? stage.servers : stage.servers.toReversed()
  yield* Effect.forEach(
    withServers(hand, servers),
    ({ mishap, servers }) =>
      Effect.map(perform({ ...given, stage, servers, reached }, mishap), (isSo) => {
        if (isSo) happened.add(mishap)
      }),
    { concurrency: "unbounded" }
  )
  yield* revived(stage)
})

const revived = ({ servers }: Stage["Service"]) =>
  Effect.forEach(servers, ({ revive }) => revive, { concurrency: "unbounded", discard: true })

/** Lets clients buy for as long as what is dealt goes wrong. */
const suffer = Effect.fnUntraced(function* (run: Run, when: string, hand: Hand, story: Story) {
  const { seed, stage, undecided } = run
  const { customers, operator, servers, suppliers, time } = stage
  const needs = kindsAt(hand)
  const vehicles = { count: needs.includes("insurance") ? offers_insuring : offers_usual, made: run.offered }
  run.offered += vehicles.count
  const offers = yield* Effect.provide(time.on(makeOffers(customers, vehicles)), operator)
  const place = { seed, when, offers, customers, needs, troubled: troubled(hand) }
  const { lists, plans } = yield* Effect.provide(wishesOf(place), operator)
  yield* suppliers.play(plans)
  for (const { decision, xid } of plans) if (decision === "pending") undecided.add(xid)

  for (const mishap of hand) story.tell(`to come: ${wordsOf(mishap)}`)
  const chance = new Chance(seed, when)
  const load = makeLoad(servers, lists, new Chance(seed, `clients of ${when}`))
  const misfortunes = Effect.andThen(misfortune(run, hand, { chance, load, story }), load.enough)
  yield* Effect.all([load.run, misfortunes], { concurrency: "unbounded" })
  story.tell(`clients have been on ${load.errands.length} errands`)
  return load.errands
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
  yield* revived(stage)
  const resting = comeToRest(time, undecided).pipe(
    Effect.tap((rests) =>
      Effect.sync(() => story.tell(rests ? "recovery has come to rest" : "recovery does not come to rest"))
    ),
    Effect.repeat({ until: (rests) => rests, times: turns_max }),
    Effect.provide(operator)
  )
  yield* resting
  // Whoever does not know asks again, and some of those who do.
  let asking = errands.filter((errand) => !errand.answers.some(isFirm) || chance.happens(asksAgain))
  for (let turn = 0; turn < turns_max && asking.length > 0; turn++) {
    yield* Effect.forEach(asking, (errand) => pursue(servers, errand, triesInTheEnd_max), { concurrency: 8 })
    story.tell(`${asking.length} of ${errands.length} errands were asked about again`)
    yield* resting
    asking = asking.filter((errand) => !hasHeard(errand))
  }
})

/** Plays the hands one after the other, then heals everything and judges. */
export const play = Effect.fnUntraced(function* (run: Run, { hands, round }: Dealt, story: Story) {
  const { seed, stage, undecided } = run
  const suffered = yield* Effect.forEach(hands, (hand, index) =>
    suffer(run, `round ${round} hand ${index + 1}`, hand, story)
  )
  const errands = suffered.flat()
  yield* heal(run, errands, new Chance(seed, `healing of round ${round}`), story)

  const books = yield* Effect.provide(readBooks, stage.operator)
  const told = yield* stage.suppliers.truth
  const breaches = judge({ books, told, errands, undecided, given })
  const ownEnds = stage.servers.flatMap(({ ownEnds }) => ownEnds)
  return {
    errands,
    breaches: [...breaches, ...ownEnds.map((what) => ({ law: "no server ends by itself", what }))]
  } satisfies Played
})
