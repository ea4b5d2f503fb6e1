import { Cause, Duration, Effect, Runtime, Schema } from "effect"
import { plannedSteps } from "../support/Progress.ts"
import { ended, saldo } from "../support/SaldoProcess.ts"
import { RoundLog, startEnvironment } from "./environment/Environment.ts"
import { describeFault, faultKindOf, faultKinds, planFaults } from "./Faults.ts"
import type { Breach } from "./Invariants.ts"
import { crashPoints } from "./processes/CrashPoints.ts"
import { type CrashRun, type RoundFaults, runRound } from "./Round.ts"

/** What is to be run. */
export interface CrashPlan {
  readonly rounds: number
  readonly seed: number
}

/** A law does not hold. */
class RoundFailed extends Schema.TaggedError<RoundFailed>()("Broken", {
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
export interface CrashResult extends CrashPlan {
  /** What clients wanted done, each under a key. */
  readonly errands: number
  /** How often they called for it, and how often nobody answered. */
  readonly calls: number
  readonly unanswered: number
  /** The points at which a server was killed or stopped. */
  readonly reached: ReadonlyArray<string>
  readonly missed: ReadonlyArray<string>
  /** The kinds of mishaps that happened, and those that did not. */
  readonly kinds: ReadonlyArray<string>
  readonly missedKinds: ReadonlyArray<string>
}

const planned_s = { round: 3, start: 4, audit: 2 }

/**
 * A round that takes longer does not come to its end; a machine that stands still for minutes is none of its faults.
 */
const round_max = Duration.minutes(12)

const roundEnds = "a round comes to its end"

const checkAudit = Effect.fnUntraced(function* ({ seed, stage }: CrashRun, round: number) {
  const audit = yield* saldo(["audit"], { DATABASE_URL: stage.database })
  const isSound = (yield* ended(audit)) === 0
  const isUnderstood = yield* stage.suppliers.dismiss
  const breaches = [
    ...(isSound ? [] : [{ law: "saldo audit finds nothing", what: audit.stdout() + audit.stderr() }]),
    ...(isUnderstood ? [] : [{ law: "suppliers are asked by their protocols", what: "see suppliers.log" }])
  ]
  if (breaches.length > 0) return yield* new RoundFailed({ seed, round, breaches, story: [], logs: stage.directory })
}, Effect.scoped)

/** Plays a round, which fails as well when it does not come to its end. */
const playRound = (run: CrashRun, dealt: RoundFaults) =>
  Effect.suspend(() => {
    const story = new RoundLog()
    const broken = (breaches: ReadonlyArray<Breach>) =>
      new RoundFailed({ seed: run.seed, round: dealt.round, breaches, story: story.lines, logs: run.stage.directory })
    return runRound(run, dealt, story).pipe(
      Effect.timeoutOrElse({
        duration: round_max,
        orElse: () =>
          Effect.fail(broken([{ law: roundEnds, what: `it lasts longer than ${Duration.format(round_max)}` }]))
      }),
      Effect.catchDefect((defect) => Effect.fail(broken([{ law: roundEnds, what: Cause.pretty(Cause.die(defect)) }]))),
      Effect.tap(({ breaches }) => (breaches.length > 0 ? Effect.fail(broken(breaches)) : Effect.void))
    )
  })

/** Plays so many rounds. The first one in which a law is broken is the last. */
export const runCrashTest = Effect.fnUntraced(function* ({ rounds, seed }: CrashPlan) {
  const step = yield* plannedSteps(planned_s.start + rounds * planned_s.round + planned_s.audit)
  const stage = yield* step("Starting Postgres, suppliers and servers", planned_s.start, Effect.orDie(startEnvironment))
  const run: CrashRun = { stage, seed, undecided: new Set(), reached: new Set(), happened: new Set(), offered: 0 }
  const tally = { errands: 0, calls: 0, unanswered: 0 }
  for (const [index, hands] of planFaults(seed, rounds).entries()) {
    const round = index + 1
    const { errands } = yield* step(
      `Round ${round} of ${rounds}: ${hands.map((hand) => hand.map(describeFault).join("; ")).join("; then ")}`,
      planned_s.round,
      playRound(run, { round, hands })
    )
    tally.errands += errands.length
    for (const { answers } of errands) {
      tally.calls += answers.length
      tally.unanswered += answers.filter(({ status }) => status === 0).length
    }
  }
  yield* step("Audit", planned_s.audit, checkAudit(run, rounds))
  const missed = crashPoints.filter((point) => !run.reached.has(point))
  const happened = new Set([...run.happened].map(faultKindOf))
  const missedKinds = faultKinds.filter((kind) => !happened.has(kind))
  return {
    rounds,
    seed,
    ...tally,
    reached: [...run.reached],
    missed,
    kinds: [...happened],
    missedKinds
  } satisfies CrashResult
}, Effect.scoped)
