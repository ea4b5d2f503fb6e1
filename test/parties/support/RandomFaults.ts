import { createHash } from "node:crypto"
import { Clock, Duration, Effect, Fiber } from "effect"
import { type Misbehaviour, type Misbehaviours, misbehaviours } from "../../fakes/FakeServer.ts"
import { ManualClock } from "../../support/InProcessService.ts"

/** After these nobody hears anything until time passes. */
const stuckAfter: ReadonlySet<Misbehaviour> = new Set(["silent before", "silent after", "trickle"])

/** Whoever waits for a whole answer gives up after this. */
const patience_ms = 31_000

/** Who denies to know something goes on denying it until it is so old; of what is older no party may say so untruly. */
const denies_max_ms = 10 * 60_000

/** How many of the requests that are not the first about something are treated badly. */
const share = 0.3

/** What happens by chance: the same for the same seed, in whatever order it happens. */
class HashedRandom {
  readonly #seed: string

  constructor(seed: string) {
    this.#seed = seed
  }

  /** From 0 to 1. */
  of(...what: ReadonlyArray<string | number>): number {
    return (
      createHash("sha256")
        .update([this.#seed, ...what].join("/"))
        .digest()
        .readUInt32BE() /
      2 ** 32
    )
  }

  pick<A>(all: ReadonlyArray<A>, ...what: ReadonlyArray<string | number>): A {
    return all[Math.floor(this.of(...what) * all.length)] as A
  }
}

/** Parties that misbehave by chance, and time that passes when everybody waits in vain. */
export class RandomFaults {
  readonly chance: HashedRandom
  /** How often each has happened. */
  readonly happened = new Map<Misbehaviour, number>()
  /** What is contradicted whenever it is asked about, also when all is well again. */
  readonly liedAbout = new Set<string>()
  readonly #first = new Map<string, { readonly misbehaviour: Misbehaviour | null; readonly patience_ms: number }>()
  readonly #known = new Map<string, { readonly since_ms: number; asked: number; denied: boolean }>()
  readonly #watchers = new Set<() => void>()
  readonly #clock: Clock.Clock
  readonly #pass: ManualClock["Service"]["pass"]
  #raging = true
  #stuck: ReadonlyArray<number> = []

  private constructor(seed: string, clock: Clock.Clock, pass: ManualClock["Service"]["pass"]) {
    this.chance = new HashedRandom(seed)
    this.#clock = clock
    this.#pass = pass
  }

  static readonly make = Effect.fnUntraced(function* (seed: string) {
    const { pass } = yield* ManualClock
    return new RandomFaults(seed, yield* Clock.Clock, pass)
  })

  /** From now on the parties do as chance will have it. */
  rage(...parties: ReadonlyArray<Misbehaviours>): void {
    for (const party of parties) party.otherwise((about) => this.#treat(about))
  }

  /** From now on all is well, but for what is lied about. */
  calm(): void {
    this.#raging = false
  }

  /** How the first request about something is treated, and how long whoever sends it waits. */
  expect(about: string, misbehaviour: Misbehaviour | null, wait_ms = patience_ms): void {
    this.#first.set(about, { misbehaviour, patience_ms: wait_ms })
  }

  /** Whoever asks about it from now on waits as long as anybody. */
  settled(about: string): void {
    this.#first.delete(about)
  }

  /** Does them all at once. When each that goes on waits in vain, time passes. */
  together<A, E, R>(jobs: ReadonlyArray<Effect.Effect<A, E, R>>) {
    return Effect.gen({ self: this }, function* () {
      let active = jobs.length
      const ended = Effect.sync(() => {
        active--
        this.#changed()
      })
      const all = Effect.forEach(jobs, (job) => Effect.ensuring(job, ended), { concurrency: "unbounded" })
      const going = yield* Effect.forkChild(all)
      while (active > 0) {
        yield* this.#until(() => this.#stuck.length >= active)
        const longest_ms = Math.max(0, ...this.#stuck)
        this.#stuck = []
        if (active > 0) yield* this.#pass(Duration.millis(longest_ms))
      }
      return yield* Fiber.join(going)
    })
  }

  #treat(about: string): Misbehaviour | null {
    const chosen = this.#choose(about)
    if (chosen === null) return null
    this.happened.set(chosen, (this.happened.get(chosen) ?? 0) + 1)
    if (stuckAfter.has(chosen)) {
      this.#stuck = [...this.#stuck, this.#first.get(about)?.patience_ms ?? patience_ms]
      this.#changed()
    }
    return chosen
  }

  #choose(about: string): Misbehaviour | null {
    const now_ms = this.#clock.currentTimeMillisUnsafe()
    const known = this.#known.get(about) ?? { since_ms: now_ms, asked: 0, denied: false }
    this.#known.set(about, known)
    const time = known.asked++
    if (this.liedAbout.has(about)) return "contradiction"
    if (!this.#raging) return null
    const deniable = now_ms - known.since_ms < denies_max_ms
    if (known.denied && deniable) return "not found"
    const chosen = this.#byChance(about, time)
    if (chosen !== "not found") return chosen
    known.denied = true
    return deniable ? chosen : "garbage"
  }

  #byChance(about: string, time: number): Misbehaviour | null {
    const first = this.#first.get(about)
    if (time === 0 && first !== undefined) return first.misbehaviour
    return this.chance.of(about, time) < share ? this.chance.pick(misbehaviours, about, time, "how") : null
  }

  #changed(): void {
    for (const look of this.#watchers) look()
  }

  #until(isSo: () => boolean): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const look = () => {
        if (!isSo()) return
        this.#watchers.delete(look)
        resume(Effect.void)
      }
      this.#watchers.add(look)
      look()
    })
  }
}
