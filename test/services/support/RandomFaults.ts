import { createHash } from "node:crypto"
import { Clock, Duration, Effect, Fiber } from "effect"
import { type Misbehaviour, type Misbehaviours, misbehaviours } from "../../fakes/FakeServer.ts"
import { ManualClock } from "../../support/InProcessService.ts"

/** Faults after which a call has no result until time passes. */
const stuckAfter: ReadonlySet<Misbehaviour> = new Set(["silent before", "silent after", "trickle"])

/** Longest timeout of a call. */
const timeout_ms = 31_000

/** Longest time after the first request about an xid during which a service may answer "not found" by mistake. */
const denies_max_ms = 10 * 60_000

/** Probability of a fault in each request about an xid after the first request. */
const share = 0.3

/** Random numbers that depend only on the seed and the arguments, not on the order of calls. */
class HashedRandom {
  readonly #seed: string

  constructor(seed: string) {
    this.#seed = seed
  }

  /** A number from 0 to 1. */
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

/** Random faults of the external services, and a clock that moves on when every job waits for a timeout. */
export class RandomFaults {
  readonly chance: HashedRandom
  /** How often each fault occurred. */
  readonly happened = new Map<Misbehaviour, number>()
  /** The xids for which every response contradicts the order, even after the other faults end. */
  readonly contradicted = new Set<string>()
  readonly #first = new Map<string, { readonly misbehaviour: Misbehaviour | null; readonly timeout_ms: number }>()
  readonly #known = new Map<string, { readonly since_ms: number; asked: number; denied: boolean }>()
  readonly #watchers = new Set<() => void>()
  readonly #clock: Clock.Clock
  readonly #pass: ManualClock["Service"]["pass"]
  #isActive = true
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

  /** Starts random faults at these services. */
  start(...services: ReadonlyArray<Misbehaviours>): void {
    for (const service of services) service.otherwise((about) => this.#treat(about))
  }

  /** Ends all faults except for the contradicted xids. */
  stop(): void {
    this.#isActive = false
  }

  /** Sets the fault of the first request about an xid, and how long its caller waits. */
  expect(about: string, misbehaviour: Misbehaviour | null, wait_ms = timeout_ms): void {
    this.#first.set(about, { misbehaviour, timeout_ms: wait_ms })
  }

  /** Resets the wait for later requests about an xid to the default. */
  settled(about: string): void {
    this.#first.delete(about)
  }

  /** Runs jobs concurrently. Moves the clock on when every unfinished job waits for a timeout. */
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
      this.#stuck = [...this.#stuck, this.#first.get(about)?.timeout_ms ?? timeout_ms]
      this.#changed()
    }
    return chosen
  }

  #choose(about: string): Misbehaviour | null {
    const now_ms = this.#clock.currentTimeMillisUnsafe()
    const known = this.#known.get(about) ?? { since_ms: now_ms, asked: 0, denied: false }
    this.#known.set(about, known)
    const time = known.asked++
    if (this.contradicted.has(about)) return "contradiction"
    if (!this.#isActive) return null
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
