import { Effect, Random, References } from "effect"
import { Command, Flag } from "effect/cli"
import { orDefault, wholeNumber } from "../../facade/cli/terminal/Flags.ts"
import { print } from "../../facade/cli/terminal/Output.ts"
import { programOf, runCheck } from "../support/CheckProgram.ts"
import { type CrashResult, runCrashTest } from "./Crash.ts"

const flags = {
  rounds: wholeNumber("rounds", { minimum: 1 }, "Number of rounds; each has new clients and new faults").pipe(
    orDefault(20)
  ),
  seed: Flag.Int("seed").pipe(Flag.withDescription("Seed of the faults and the purchases"), orDefault(null, "random"))
}

const seed_max = 999_999

const named_max = 5

const missedText = (missed: ReadonlyArray<string>): string => {
  if (missed.length === 0) return ""
  return missed.length > named_max ? " (see --json for the missed ones)" : `, not ${missed.join(", not ")}`
}

const resultText = ({
  calls,
  closings,
  operations,
  kinds,
  missed,
  missedKinds,
  reached,
  rounds,
  receivedEvents,
  seed,
  storedEvents,
  unanswered
}: CrashResult): string =>
  [
    `${rounds} ${rounds === 1 ? "round" : "rounds"} with seed ${seed}: ${operations} operations, ${calls} calls, ${unanswered} of them without a response;`,
    `${storedEvents} events of companies; endpoints of webhooks received ${receivedEvents}; ${closings} closings of days;`,
    `servers were killed or stopped at ${reached.length} of ${reached.length + missed.length} points${missedText(missed)};`,
    `${kinds.length} of ${kinds.length + missedKinds.length} kinds of faults happened${missedText(missedKinds)}.`,
    "Every invariant held."
  ].join("\n")

const command = Command.make("npm run crash --", flags, ({ rounds, seed: given }) =>
  Effect.gen(function* () {
    const seed = given ?? (yield* Random.nextIntBetween(1, seed_max))
    const plan = { rounds, seed }
    yield* runCrashTest(plan).pipe(
      Effect.tap((result) => print({ ok: true, ...result }, resultText(result))),
      Effect.tapError((broken) => {
        const { breaches, logs, round, events } = broken
        return print({ ok: false, ...plan, round, breaches, events, logs }, broken.message)
      })
    )
  })
).pipe(
  Command.withDescription(
    `Runs two server processes under load, with a provider, an insurer and the endpoints of webhooks in a third process. Kills or stops servers at every step of a sale, a reversal, an insurance sale, recovery, the delivery of events and the closing of a day. Three cells are on two Postgres servers. Also kills both Postgres, closes a cell, kills the command that moves a company or a cell between the servers and ends the move with the same command, cuts connections around a commit and makes suppliers misbehave. After each round the run repairs everything, waits until the servers have settled all transactions, delivered all events and closed all days. It then checks the database against the suppliers' deliveries, the clients' responses and the events that the endpoints received. The run has its own clock, so it does not wait for recovery in real time.

Exit code 1 when an invariant is broken, with the seed, the events of the round and the directory of the logs; 2 for wrong usage.

--json prints {ok, rounds, seed}; when ok also {furtherRounds, operations, calls, unanswered, storedEvents, receivedEvents, closings, reached: [point], missed: [point], kinds: [fault], missedKinds: [fault]}; otherwise {round, breaches: [{invariant, what}], events, logs}.`
  ),
  Command.withShortDescription("Crash servers and Postgres under load and check that no money and no event is lost"),
  Command.withExamples([
    { command: "npm run crash -- --rounds 60", description: "A long run" },
    {
      command: "npm run crash -- --rounds 13 --seed 7",
      description: "Repeat the faults of a run that failed in round 13"
    }
  ])
)

programOf(command).pipe(
  // Errors that are logged under injected faults are expected.
  Effect.provideService(References.MinimumLogLevel, "None"),
  runCheck
)
