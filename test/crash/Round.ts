import { Effect } from "effect"
import { SeededRandom } from "../support/SeededRandom.ts"
import { type ClientOperation, hasFinalAnswer, isFirm, makeClientLoad, retryUntilAnswered } from "./Clients.ts"
import { type CrashEnvironment, openingDeposit, type RoundLog } from "./environment/Environment.ts"
import { untilPostgresAnswers } from "./environment/Postgres.ts"
import { settleByRecovery } from "./environment/RunTime.ts"
import type { Server } from "./environment/ServersAndSuppliers.ts"
import { crashPointOf, describeFault, type Fault, type FaultGroup } from "./Faults.ts"
import { type FaultContext, injectFault } from "./InjectFault.ts"
import { type Breach, checkInvariants, readBooks } from "./Invariants.ts"
import { makeInsuranceOffers, type PurchaseKind, planPurchases } from "./PlannedPurchases.ts"
import { type CrashPoint, workflowOf } from "./processes/CrashPoints.ts"

/** When all is whole again, a client tries so often and not oftener, even if he still is not answered. */
const finalTries_max = 30

/** A machine that stands still undoes some of the healing. So often it does not. */
const turns_max = 4

/** How many of those who have a firm answer ask for it again. */
const retryRate = 0.1

/** Quotes that may be bought during a hand, and during one that crashes insurance. */
const offers_usual = 4
const offers_insuring = 30

/** What a run remembers from one round to the next. */
export interface CrashRun {
  readonly stage: CrashEnvironment["Service"]
  readonly seed: number
  /** What no supplier will ever decide. */
  readonly undecided: Set<string>
  /** The points at which a server was killed or stopped. */
  readonly reached: Set<CrashPoint>
  /** The mishaps that happened as they were dealt. */
  readonly happened: Set<Fault>
  /** How many vehicles have been offered insurance. */
  offered: number
}

/** What is dealt to a round. */
export interface RoundFaults {
  readonly round: number
  readonly hands: ReadonlyArray<FaultGroup>
}

/** A round that is over. */
interface RoundResult {
  readonly errands: ReadonlyArray<ClientOperation>
  readonly breaches: ReadonlyArray<Breach>
}

const kindOfWorkflow = { sale: "plain", reversal: "reversible", insurance: "insurance" } as const

/** What has to be sold for a server to come to a point. */
const kindAt = (point: CrashPoint): PurchaseKind => {
  const way = workflowOf(point)
  if (way !== "recovery") return kindOfWorkflow[way]
  if (point.endsWith("insurer")) return "insurance"
  return point.includes("reversal") ? "reversible" : "plain"
}

const kindsAt = (hand: FaultGroup): ReadonlyArray<PurchaseKind> =>
  hand.flatMap((mishap) => crashPointOf(mishap) ?? []).map(kindAt)

/** What has to be in trouble, if this is to be a crash of its recovery. */
const troubled = (hand: FaultGroup): PurchaseKind | null => {
  for (const mishap of hand) if (mishap._tag === "KillRecovery") return kindAt(mishap.point)
  return null
}

/** Deals servers to those mishaps that need one for themselves; those that need both have both. */
const withServers = (hand: FaultGroup, servers: ReadonlyArray<Server>) => {
  const free = [...servers]
  return hand.map((mishap) => {
    const isOfOne = mishap._tag === "Kill" || mishap._tag === "Pause"
    return { mishap, servers: isOfOne ? free.splice(0, 1) : servers }
  })
}

const injectFaults = Effect.fnUntraced(function* (
  { happened, reached, stage }: CrashRun,
  hand: FaultGroup,
  given: Pick<FaultContext, "chance" | "load" | "story">
) {
  const servers = given.chance.happens(0.5) ? stage.servers : stage.servers.toReversed()
  yield* Effect.forEach(
    withServers(hand, servers),
    ({ mishap, servers }) =>
      Effect.map(injectFault({ ...given, stage, servers, reached }, mishap), (isSo) => {
        if (isSo) happened.add(mishap)
      }),
    { concurrency: "unbounded" }
  )
  yield* revived(stage)
})

const revived = ({ servers }: CrashEnvironment["Service"]) =>
  Effect.forEach(servers, ({ revive }) => revive, { concurrency: "unbounded", discard: true })

/** Lets clients buy for as long as what is dealt goes wrong. */
const buyUnderFaults = Effect.fnUntraced(function* (run: CrashRun, when: string, hand: FaultGroup, story: RoundLog) {
  const { seed, stage, undecided } = run
  const { customers, operator, servers, suppliers, time } = stage
  const needs = kindsAt(hand)
  const vehicles = { count: needs.includes("insurance") ? offers_insuring : offers_usual, made: run.offered }
  run.offered += vehicles.count
  const offers = yield* Effect.provide(time.on(makeInsuranceOffers(customers, vehicles)), operator)
  const place = { seed, when, offers, customers, needs, troubled: troubled(hand) }
  const { lists, plans } = yield* Effect.provide(planPurchases(place), operator)
  yield* suppliers.play(plans)
  for (const { decision, xid } of plans) if (decision === "pending") undecided.add(xid)

  for (const mishap of hand) story.tell(`to come: ${describeFault(mishap)}`)
  const chance = new SeededRandom(seed, when)
  const load = makeClientLoad(servers, lists, new SeededRandom(seed, `clients of ${when}`))
  const misfortunes = Effect.andThen(injectFaults(run, hand, { chance, load, story }), load.enough)
  yield* Effect.all([load.run, misfortunes], { concurrency: "unbounded" })
  story.tell(`clients have been on ${load.errands.length} errands`)
  return load.errands
})

/** Everything that was broken is whole, and everything that is under way comes to its end. */
const heal = Effect.fnUntraced(function* (
  { stage, undecided }: CrashRun,
  errands: ReadonlyArray<ClientOperation>,
  chance: SeededRandom,
  story: RoundLog
) {
  const { operator, servers, suppliers, time } = stage
  yield* suppliers.behave
  yield* Effect.provide(untilPostgresAnswers, operator)
  yield* revived(stage)
  const resting = settleByRecovery(time, undecided).pipe(
    Effect.tap((rests) =>
      Effect.sync(() => story.tell(rests ? "recovery has come to rest" : "recovery does not come to rest"))
    ),
    Effect.repeat({ until: (rests) => rests, times: turns_max }),
    Effect.provide(operator)
  )
  yield* resting
  // Whoever does not know asks again, and some of those who do.
  let asking = errands.filter((errand) => !errand.answers.some(isFirm) || chance.happens(retryRate))
  for (let turn = 0; turn < turns_max && asking.length > 0; turn++) {
    yield* Effect.forEach(asking, (errand) => retryUntilAnswered(servers, errand, finalTries_max), { concurrency: 8 })
    story.tell(`${asking.length} of ${errands.length} errands were asked about again`)
    yield* resting
    asking = asking.filter((errand) => !hasFinalAnswer(errand))
  }
})

/** Plays the hands one after the other, then heals everything and judges. */
export const runRound = Effect.fnUntraced(function* (run: CrashRun, { hands, round }: RoundFaults, story: RoundLog) {
  const { seed, stage, undecided } = run
  const suffered = yield* Effect.forEach(hands, (hand, index) =>
    buyUnderFaults(run, `round ${round} hand ${index + 1}`, hand, story)
  )
  const errands = suffered.flat()
  yield* heal(run, errands, new SeededRandom(seed, `healing of round ${round}`), story)

  const books = yield* Effect.provide(readBooks, stage.operator)
  const told = yield* stage.suppliers.truth
  const breaches = checkInvariants({ books, told, errands, undecided, given: openingDeposit })
  const ownEnds = stage.servers.flatMap(({ ownEnds }) => ownEnds)
  return {
    errands,
    breaches: [...breaches, ...ownEnds.map((what) => ({ law: "no server ends by itself", what }))]
  } satisfies RoundResult
})
