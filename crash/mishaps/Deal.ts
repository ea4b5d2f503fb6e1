import { Chance } from "../../simulation/engine/Chance.ts"
import { deck, type Mishap } from "./Mishap.ts"

/** So many go wrong at once. */
const hand_max = 3

/** What a mishap takes; a round has each of it as often as it is listed. */
const available = { server: 2, time: 1, postgres: 1, connection: 1 }
type Needs = { readonly [Resource in keyof typeof available]?: number }

const needs: { readonly [Tag in Mishap["_tag"]]: Needs } = {
  Kill: { server: 1 },
  KillRecovery: { server: 2, time: 1 },
  Pause: { server: 1, time: 1 },
  KillBoth: { server: 2 },
  KillPostgres: { postgres: 1 },
  Cut: { connection: 1 },
  Stall: { time: 1 }
}

const shuffled = <A>(chance: Chance, all: ReadonlyArray<A>): Array<A> => {
  const left = [...all]
  return all.map(() => left.splice(chance.between(0, left.length - 1), 1)[0] as A)
}

/** Takes from the pile whatever can go wrong together, the topmost first. */
const handFrom = (pile: Array<Mishap>): ReadonlyArray<Mishap> => {
  const left: Record<string, number> = { ...available }
  const hand: Array<Mishap> = []
  for (const mishap of [...pile]) {
    const needed = Object.entries(needs[mishap._tag])
    if (hand.length === hand_max || needed.some(([resource, count]) => (left[resource] ?? 0) < count)) continue
    for (const [resource, count] of needed) left[resource] = (left[resource] ?? 0) - count
    hand.push(...pile.splice(pile.indexOf(mishap), 1))
  }
  return hand
}

/** What goes wrong in each round, by the seed: every mishap once before any comes again. */
export const deal = (seed: number, rounds: number): ReadonlyArray<ReadonlyArray<Mishap>> => {
  const chance = new Chance(seed, "deck")
  let pile: Array<Mishap> = []
  return Array.from({ length: rounds }, () => {
    if (pile.length < deck.length / 2) pile = [...pile, ...shuffled(chance, deck)]
    return handFrom(pile)
  })
}
