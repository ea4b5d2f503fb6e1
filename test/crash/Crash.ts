import { Cause, Duration, Effect, Runtime, Schema } from "effect"
import { plannedSteps } from "../support/Progress.ts"
import { ended, saldo } from "../support/SaldoProcess.ts"
import { RoundLog, startEnvironment } from "./environment/Environment.ts"
import { crashPointOf, describeFault, type FaultGroup, faultKindOf, faultKinds, planFaults } from "./Faults.ts"
import type { Breach } from "./Invariants.ts"
import { crashPoints } from "./processes/CrashPoints.ts"
import { type CrashRun, type RoundFaults, runRound } from "./Round.ts"

/** Size and seed of a crash run. */
export interface CrashPlan {
  readonly rounds: number
  readonly seed: number
}

/** Failure of a round in which an invariant does not hold. */
class RoundFailed extends Schema.TaggedError<RoundFailed>()("RoundFailed", {
  seed: Schema.Int,
  round: Schema.Int,
  breaches: Schema.Array(Schema.Struct({ invariant: Schema.String, what: Schema.String })),
  /** The log of the round: what happened, in order. */
  events: Schema.Array(Schema.String),
  /** Directory with the logs of all processes. */
  logs: Schema.String
}) {
  // The command prints this error itself.
  override readonly [Runtime.errorReported] = false

  override get message(): string {
    return [
      `Round ${this.round} by seed ${this.seed} broke an invariant:`,
      ...this.breaches.map(({ invariant, what }) => `  broken: ${invariant}: ${what}`),
      "Events:",
      ...this.events.map((line) => `  ${line}`),
      `Logs and data: ${this.logs}`,
      `To repeat the same faults, at other moments: npm run crash -- --seed ${this.seed} --rounds ${this.round}`
    ].join("\n")
  }
}

/** Counts and coverage of a run. */
export interface CrashResult extends CrashPlan {
  /** Number of further rounds, each for one fault that the planned rounds missed. */
  readonly furtherRounds: number
  /** Number of sales and reversals that clients started, each under its own key. */
  readonly operations: number
  /** Number of calls, and of calls without a response. */
  readonly calls: number
  readonly unanswered: number
  /** Number of stored events of companies, and number of different events that the endpoints of webhooks received. */
  readonly storedEvents: number
  readonly receivedEvents: number
  /** Number of closings of days. */
  readonly closings: number
  /** Crash points at which a server was killed or stopped, and crash points that no server reached. */
  readonly reached: ReadonlyArray<string>
  readonly missed: ReadonlyArray<string>
  /** Kinds of faults that happened, and kinds that did not happen. */
  readonly kinds: ReadonlyArray<string>
  readonly missedKinds: ReadonlyArray<string>
}

/** Estimated durations in seconds, for the display of progress. */
const planned_s = { round: 4, start: 4, audit: 2 }

/** Timeout of a round. It allows for a machine that is suspended for minutes. */
const round_max = Duration.minutes(12)

const roundEnds = "a round ends"

const checkAudit = Effect.fnUntraced(function* ({ seed, environment }: CrashRun, round: number) {
  const audit = yield* saldo(["audit"], environment.commands)
  const isSound = (yield* ended(audit)) === 0
  const followsProtocol = yield* environment.suppliers.dismiss
  const breaches = [
    ...(isSound ? [] : [{ invariant: "saldo audit finds no violation", what: audit.stdout() + audit.stderr() }]),
    ...(followsProtocol
      ? []
      : [{ invariant: "suppliers receive only requests of their protocol", what: "see suppliers.log" }])
  ]
  if (breaches.length > 0)
    return yield* new RoundFailed({ seed, round, breaches, events: [], logs: environment.directory })
}, Effect.scoped)

/** Plays a round. The round also fails if it times out or ends with a defect. */
const playRound = (run: CrashRun, planned: RoundFaults) =>
  Effect.suspend(() => {
    const log = new RoundLog()
    const broken = (breaches: ReadonlyArray<Breach>) =>
      new RoundFailed({
        seed: run.seed,
        round: planned.round,
        breaches,
        events: log.lines,
        logs: run.environment.directory
      })
    return runRound(run, planned, log).pipe(
      Effect.timeoutOrElse({
        duration: round_max,
        orElse: () =>
          Effect.fail(broken([{ invariant: roundEnds, what: `it took longer than ${Duration.format(round_max)}` }]))
      }),
      Effect.catchDefect((defect) =>
        Effect.fail(broken([{ invariant: roundEnds, what: Cause.pretty(Cause.die(defect)) }]))
      ),
      Effect.tap(({ breaches }) => (breaches.length > 0 ? Effect.fail(broken(breaches)) : Effect.void))
    )
  })

/**
 * Number of further rounds for faults that missed their crash point or did not happen as planned. On a busy machine some do.
 * Each further round has one of these faults, alone.
 */
const further_max = 12

/** The planned faults that did not happen: no server has reached the crash point, or no fault of the kind has happened. */
const missedFaults = ({ happened, reached }: CrashRun, planned: FaultGroup) => {
  const kinds = new Set([...happened].map(faultKindOf))
  return planned.filter((fault) => {
    const point = crashPointOf(fault)
    return (point !== null && !reached.has(point)) || !kinds.has(faultKindOf(fault))
  })
}

/**
 * Plays the rounds in order, and then further rounds for the faults that were missed. Stops at the first broken
 * invariant.
 */
export const runCrashTest = Effect.fnUntraced(function* ({ rounds, seed }: CrashPlan) {
  const step = yield* plannedSteps(planned_s.start + rounds * planned_s.round + planned_s.audit)
  const environment = yield* step(
    "Starting Postgres, suppliers and servers",
    planned_s.start,
    Effect.orDie(startEnvironment)
  )
  const run: CrashRun = {
    environment,
    seed,
    undecided: new Set(),
    reached: new Set(),
    happened: new Set(),
    made: [],
    received: [],
    cellClosings: [],
    offered: 0
  }
  const tally = { operations: 0, calls: 0, unanswered: 0, storedEvents: 0, closings: 0 }
  const planned = planFaults(seed, rounds)
  const play = Effect.fnUntraced(function* (what: string, round: number, groups: ReadonlyArray<FaultGroup>) {
    const { closings, operations, storedEvents } = yield* step(
      `${what}: ${groups.map((group) => group.map(describeFault).join("; ")).join(", then ")}`,
      planned_s.round,
      playRound(run, { round, groups })
    )
    tally.storedEvents = storedEvents
    tally.closings = closings
    tally.operations += operations.length
    for (const { responses } of operations) {
      tally.calls += responses.length
      tally.unanswered += responses.filter(({ status }) => status === 0).length
    }
  })
  for (const [index, groups] of planned.entries()) {
    const round = index + 1
    yield* play(`Round ${round} of ${rounds}`, round, groups)
  }
  const plannedFaults = planned.flat(2)
  let furtherRounds = 0
  for (; furtherRounds < further_max; furtherRounds++) {
    const missed = missedFaults(run, plannedFaults)
    // Takes the missed faults in turn, so that one that is missed again does not use up all further rounds.
    const next = missed.at(furtherRounds % Math.max(1, missed.length))
    if (next === undefined) break
    yield* play("Again", rounds + furtherRounds + 1, [[next]])
  }
  yield* step("Audit", planned_s.audit, checkAudit(run, rounds))
  const missed = crashPoints.filter((point) => !run.reached.has(point))
  const happened = new Set([...run.happened].map(faultKindOf))
  const missedKinds = faultKinds.filter((kind) => !happened.has(kind))
  return {
    rounds,
    seed,
    furtherRounds,
    ...tally,
    receivedEvents: run.received.length,
    reached: [...run.reached],
    missed,
    kinds: [...happened],
    missedKinds
  } satisfies CrashResult
}, Effect.scoped)
