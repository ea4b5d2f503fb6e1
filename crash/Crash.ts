import { Effect, Runtime, Schema } from "effect"
import * as Progress from "../bench/support/Progress.ts"
import { ended, saldo } from "../test/boot/Server.ts"
import { clients_max } from "./load/Wish.ts"
import { deal } from "./mishaps/Deal.ts"
import { wordsOf } from "./mishaps/Mishap.ts"
import { play, type Run } from "./Round.ts"
import { points } from "./server/Points.ts"
import { setStage } from "./stage/Stage.ts"

/** What is to be run. */
export interface Plan {
  readonly rounds: number
  readonly seed: number
}

/** A law does not hold. */
class Broken extends Schema.TaggedError<Broken>()("Broken", {
  seed: Schema.Int,
  round: Schema.Int,
  breaches: Schema.Array(Schema.Struct({ law: Schema.String, what: Schema.String })),
  /** What happened in the round. */
  story: Schema.Array(Schema.String),
  /** Where everybody logged. */
  logs: Schema.String
}) {
  // Whoever runs this tells it in his own way.
  override readonly [Runtime.errorReported] = false

  override get message(): string {
    return [
      `Round ${this.round} by seed ${this.seed} broke a law:`,
      ...this.breaches.map(({ law, what }) => `  not so: ${law}: ${what}`),
      "What happened:",
      ...this.story.map((line) => `  ${line}`),
      `Logs and data: ${this.logs}`,
      `The same mishaps again, though not the same moments: npm run crash -- --seed ${this.seed} --rounds ${this.round}`
    ].join("\n")
  }
}

/** What a run consisted of. */
export interface Result extends Plan {
  /** What clients wanted done, each under a key. */
  readonly errands: number
  /** How often they called for it, and how often nobody answered. */
  readonly calls: number
  readonly unanswered: number
  /** The points at which a server was killed or stopped. */
  readonly reached: ReadonlyArray<string>
  readonly missed: ReadonlyArray<string>
}

const planned_s = { round: 4, start: 10, audit: 5 }

const audited = Effect.fnUntraced(function* ({ seed, stage }: Run, round: number) {
  const audit = yield* saldo(["audit"], { DATABASE_URL: stage.database })
  const isSound = (yield* ended(audit)) === 0
  const isUnderstood = yield* stage.suppliers.dismiss
  const breaches = [
    ...(isSound ? [] : [{ law: "saldo audit finds nothing", what: audit.stdout() + audit.stderr() }]),
    ...(isUnderstood ? [] : [{ law: "suppliers are asked by their protocols", what: "see suppliers.log" }])
  ]
  if (breaches.length > 0) return yield* new Broken({ seed, round, breaches, story: [], logs: stage.directory })
}, Effect.scoped)

/** Plays so many rounds. The first one in which a law is broken is the last. */
export const crash = Effect.fnUntraced(function* ({ rounds, seed }: Plan) {
  const { step } = yield* Progress.make(
    { rounds, seconds: planned_s.round, connections: clients_max },
    planned_s.start + rounds * planned_s.round + planned_s.audit
  )
  const stage = yield* step("Starting Postgres, suppliers and servers", planned_s.start, Effect.orDie(setStage))
  const run: Run = { stage, seed, undecided: new Set(), reached: new Set() }
  const tally = { errands: 0, calls: 0, unanswered: 0 }
  for (const [index, hand] of deal(seed, rounds).entries()) {
    const round = index + 1
    const { breaches, errands, story } = yield* step(
      `Round ${round} of ${rounds}: ${hand.map(wordsOf).join("; ")}`,
      planned_s.round,
      play(run, round, hand)
    )
    tally.errands += errands.length
    for (const { answers } of errands) {
      tally.calls += answers.length
      tally.unanswered += answers.filter(({ status }) => status === 0).length
    }
    if (breaches.length > 0) {
      return yield* new Broken({ seed, round, breaches, story, logs: stage.directory })
    }
  }
  yield* step("Audit", planned_s.audit, audited(run, rounds))
  const missed = points.filter((point) => !run.reached.has(point))
  return { rounds, seed, ...tally, reached: [...run.reached], missed } satisfies Result
}, Effect.scoped)
