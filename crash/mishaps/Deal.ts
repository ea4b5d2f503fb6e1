import { Chance } from "../../tools/Chance.ts"
import { deck, type Mishap } from "./Mishap.ts"

/** What goes wrong at once. */
export type Hand = ReadonlyArray<Mishap>

const hand_max = 3

/**
 * Rounds have two hands and one in turns, played one after the other: a book of thirty hands is over in twenty rounds.
 */
const hands_perRound = [2, 1]

const shuffled = <A>(chance: Chance, all: ReadonlyArray<A>): Array<A> => {
  const left = [...all]
  return all.map(() => left.splice(chance.between(0, left.length - 1), 1)[0] as A)
}

const all = <Tag extends Mishap["_tag"]>(tag: Tag) =>
  deck.filter((mishap): mishap is Extract<Mishap, { _tag: Tag }> => mishap._tag === tag)

/** One server is killed while the other one stands still, at points that are not the same. */
const pairsOf = (killed: ReadonlyArray<string>, paused: ReadonlyArray<string>): ReadonlyArray<Array<Mishap>> =>
  killed.map((point, index) => [
    ...all("Kill").filter((kill) => kill.point === point),
    ...all("Pause").filter((pause) => pause.point === paused[index])
  ])

/**
 * The points at which a server can be killed as well as stopped, in two halves; each has some of every length of a
 * stop.
 */
const halvesOf = (chance: Chance) => {
  const pauses = shuffled(chance, all("Pause")).sort((one, other) => one.minutes - other.minutes)
  const half = (rest: number) => pauses.filter((_, index) => index % 2 === rest).map(({ point }) => point)
  return [half(0), half(1)] as const
}

/** What leaves no server, or no time, for anything else. */
const alone = (): ReadonlyArray<Array<Mishap>> => {
  const [shorter, longer] = all("Stall")
  const [first, second] = all("KillBoth")
  return [[first, shorter], [second], [longer]].map((hand) => hand.filter((mishap) => mishap !== undefined))
}

/** Puts a mishap that goes with any other into the first hand that has room for it, and none of its sort. */
const lay = (hands: ReadonlyArray<Array<Mishap>>, rider: Mishap): void => {
  hands.find((hand) => hand.length < hand_max && hand.every(({ _tag }) => _tag !== rider._tag))?.push(rider)
}

/** Hands with every point once, and every kind of mishap. */
const bookOf = (chance: Chance, killed: ReadonlyArray<string>, paused: ReadonlyArray<string>): ReadonlyArray<Hand> => {
  const recoveries = all("KillRecovery").map((mishap): Array<Mishap> => [mishap])
  const pairs = pairsOf(shuffled(chance, killed), shuffled(chance, paused))
  const hands = shuffled(chance, [...pairs, ...recoveries, ...alone()])
  for (const rider of shuffled(chance, [...all("KillPostgres"), ...all("Cut")])) lay(shuffled(chance, hands), rider)
  return hands
}

/**
 * What goes wrong in each round, by the seed: in twenty rounds something at every point and something of every kind,
 * and in forty all there is, since where a server was killed the next one is stopped.
 */
export const deal = (seed: number, rounds: number): ReadonlyArray<ReadonlyArray<Hand>> => {
  const chance = new Chance(seed, "deck")
  let halves = halvesOf(chance)
  let book: Array<Hand> = []
  const next = (): Hand => {
    if (book.length === 0) {
      book = [...bookOf(chance, ...halves)]
      halves = [halves[1], halves[0]]
    }
    return book.shift() ?? []
  }
  return Array.from({ length: rounds }, (_, round) =>
    Array.from({ length: hands_perRound[round % hands_perRound.length] ?? 1 }, next)
  )
}
