import { Data, Struct } from "effect"
import { type Cut, cuts } from "../support/CuttingProxy.ts"
import { SeededRandom } from "../support/SeededRandom.ts"
import type { PostgresEnd } from "./environment/Postgres.ts"
import { type CrashPoint, crashPoints, workflowOf } from "./processes/CrashPoints.ts"

/** Statements that move money, by words that only they carry to the database. */
export const moneyStatements = {
  "a reservation": '"service_name"',
  "a settlement": '"not_found"',
  "the beginning of a reversal": " back",
  "the settlement of a reversal": '"Reversed"'
} as const
type MoneyStatement = keyof typeof moneyStatements

/** Something that goes wrong while clients buy. */
export type Fault = Data.TaggedEnum<{
  /** A server is killed where it sells. */
  Kill: { readonly point: CrashPoint }
  /** The server that gets there first is killed in the middle of recovery. */
  KillRecovery: { readonly point: CrashPoint }
  /** A server stands still for so long, while the other one goes on and recovers what it left. */
  Pause: { readonly point: CrashPoint; readonly minutes: number }
  /** Both servers are killed at once, wherever they are. */
  KillBoth: {}
  KillPostgres: { readonly end: PostgresEnd }
  /** The connection breaks around the commit of something. */
  Cut: { readonly cut: Cut; readonly what: MoneyStatement }
  /** The suppliers stand still; what they are told meanwhile they hear later. */
  Stall: { readonly minutes: number }
}>
export const Fault = Data.taggedEnum<Fault>()

// What is about to be sent has been found fresh already. A pause of a quarter of an hour just there is longer than what
// is promised: by then a supplier that knows nothing of it is believed.
const beforeSending: ReadonlyArray<CrashPoint> = [
  "before dispatch",
  "during dispatch",
  "before reverse",
  "during reverse",
  "before begin issue",
  "during begin issue",
  "after begin issue",
  "before issue",
  "during issue"
]
const short_minutes = 4
const long_minutes = 25

const isRecovery = (point: CrashPoint): boolean => workflowOf(point) === "recovery"

const pauseAt = (point: CrashPoint): Fault =>
  Fault.Pause({ point, minutes: beforeSending.includes(point) ? short_minutes : long_minutes })

const killAt = (point: CrashPoint): Fault => (isRecovery(point) ? Fault.KillRecovery({ point }) : Fault.Kill({ point }))

const postgresEnds: ReadonlyArray<PostgresEnd> = [
  "its first process is killed",
  "a process of it is killed",
  "it is stopped at once"
]

/** Every mishap, once; those that have no point, twice. */
export const allFaults: ReadonlyArray<Fault> = [
  ...crashPoints.map(killAt),
  ...crashPoints.filter((point) => !isRecovery(point)).map(pauseAt),
  ...[1, 2].flatMap(
    (): ReadonlyArray<Fault> => [Fault.KillBoth(), ...postgresEnds.map((end) => Fault.KillPostgres({ end }))]
  ),
  ...cuts.flatMap((cut) => Struct.keys(moneyStatements).map((what): Fault => Fault.Cut({ cut, what }))),
  Fault.Stall({ minutes: 1 }),
  Fault.Stall({ minutes: short_minutes })
]

/** What goes wrong, wherever it does. */
export const faultKindOf: (mishap: Fault) => string = Fault.$match({
  Kill: () => "a server is killed",
  KillRecovery: () => "a server that recovers is killed",
  Pause: ({ minutes }) => `a server stands still for ${minutes} min`,
  KillBoth: () => "both servers are killed",
  KillPostgres: ({ end }) => `Postgres: ${end}`,
  Cut: ({ cut, what }) => `the connection is cut ${cut} of ${what}`,
  Stall: ({ minutes }) => `the suppliers stand still for ${minutes} min`
})

/** Where it goes wrong; null when that is left to chance. */
export const crashPointOf = (mishap: Fault): CrashPoint | null => ("point" in mishap ? mishap.point : null)

/** A mishap in words, for the story. */
export const describeFault = (mishap: Fault): string =>
  [faultKindOf(mishap), crashPointOf(mishap) ?? []].flat().join(" ")

/** Every kind of mishap. */
export const faultKinds: ReadonlyArray<string> = [...new Set(allFaults.map(faultKindOf))]

/** What goes wrong at once. */
export type FaultGroup = ReadonlyArray<Fault>

const group_max = 3

/**
 * Rounds have two hands and one in turns, played one after the other: a book of thirty hands is over in twenty rounds.
 */
const groups_perRound = [2, 1]

const shuffled = <A>(chance: SeededRandom, all: ReadonlyArray<A>): Array<A> => {
  const left = [...all]
  return all.map(() => left.splice(chance.between(0, left.length - 1), 1)[0] as A)
}

const faultsOfType = <Tag extends Fault["_tag"]>(tag: Tag) =>
  allFaults.filter((mishap): mishap is Extract<Fault, { _tag: Tag }> => mishap._tag === tag)

/** One server is killed while the other one stands still, at points that are not the same. */
const pairsOf = (killed: ReadonlyArray<string>, paused: ReadonlyArray<string>): ReadonlyArray<Array<Fault>> =>
  killed.map((point, index) => [
    ...faultsOfType("Kill").filter((kill) => kill.point === point),
    ...faultsOfType("Pause").filter((pause) => pause.point === paused[index])
  ])

/**
 * The points at which a server can be killed as well as stopped, in two halves; each has some of every length of a
 * stop.
 */
const halvesOf = (chance: SeededRandom) => {
  const pauses = shuffled(chance, faultsOfType("Pause")).sort((one, other) => one.minutes - other.minutes)
  const half = (rest: number) => pauses.filter((_, index) => index % 2 === rest).map(({ point }) => point)
  return [half(0), half(1)] as const
}

/** What leaves no server, or no time, for anything else. */
const exclusiveGroups = (): ReadonlyArray<Array<Fault>> => {
  const [shorter, longer] = faultsOfType("Stall")
  const [first, second] = faultsOfType("KillBoth")
  return [[first, shorter], [second], [longer]].map((hand) => hand.filter((mishap) => mishap !== undefined))
}

/** Puts a mishap that goes with any other into the first hand that has room for it, and none of its sort. */
const addToGroup = (hands: ReadonlyArray<Array<Fault>>, rider: Fault): void => {
  hands.find((hand) => hand.length < group_max && hand.every(({ _tag }) => _tag !== rider._tag))?.push(rider)
}

/** Hands with every point once, and every kind of mishap. */
const allGroups = (
  chance: SeededRandom,
  killed: ReadonlyArray<string>,
  paused: ReadonlyArray<string>
): ReadonlyArray<FaultGroup> => {
  const recoveries = faultsOfType("KillRecovery").map((mishap): Array<Fault> => [mishap])
  const pairs = pairsOf(shuffled(chance, killed), shuffled(chance, paused))
  const hands = shuffled(chance, [...pairs, ...recoveries, ...exclusiveGroups()])
  for (const rider of shuffled(chance, [...faultsOfType("KillPostgres"), ...faultsOfType("Cut")]))
    addToGroup(shuffled(chance, hands), rider)
  return hands
}

/**
 * What goes wrong in each round, by the seed: in twenty rounds something at every point and something of every kind,
 * and in forty all there is, since where a server was killed the next one is stopped.
 */
export const planFaults = (seed: number, rounds: number): ReadonlyArray<ReadonlyArray<FaultGroup>> => {
  const chance = new SeededRandom(seed, "deck")
  let halves = halvesOf(chance)
  let book: Array<FaultGroup> = []
  const next = (): FaultGroup => {
    if (book.length === 0) {
      book = [...allGroups(chance, ...halves)]
      halves = [halves[1], halves[0]]
    }
    return book.shift() ?? []
  }
  return Array.from({ length: rounds }, (_, round) =>
    Array.from({ length: groups_perRound[round % groups_perRound.length] ?? 1 }, next)
  )
}
