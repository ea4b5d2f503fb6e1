import { Struct } from "effect"

/** A 32-bit hash of a text. For the same salt, it is equal on every machine. */
export const hash32 = (text: string, salt: number): number => {
  let hash = salt ^ 0x9e3779b9
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x85ebca6b)
    hash = (hash << 13) | (hash >>> 19)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35)
  return (hash ^ (hash >>> 13)) >>> 0
}

/**
 * A random generator with a seed and a label. Each label has its own sequence of numbers, so one part of a run does not
 * affect the numbers of another part. An operation can therefore be removed without changing the other operations.
 */
export class SeededRandom {
  private state: number

  constructor(seed: number, label: string) {
    this.state = hash32(label, seed)
  }

  /** A number from 0 up to, but not including, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = this.state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** An integer from `from` to `to`, including both. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  happens(probability: number): boolean {
    return this.next() < probability
  }

  pick<A>(all: ReadonlyArray<A>): A {
    const picked = all[this.between(0, all.length - 1)]
    if (picked === undefined) throw new Error("nothing to pick from")
    return picked
  }

  shuffled<A>(all: ReadonlyArray<A>): Array<A> {
    const left = [...all]
    return all.map(() => left.splice(this.between(0, left.length - 1), 1)[0] as A)
  }

  /** One of the names, with a probability in proportion to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Struct.keys(weights)
    let left = this.next() * names.reduce((sum, name) => sum + weights[name], 0)
    for (const name of names) {
      left -= weights[name]
      if (left < 0) return name
    }
    return this.pick(names)
  }
}
