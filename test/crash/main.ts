import { Effect, Random, References } from "effect"
import { Command, Flag } from "effect/cli"
import { orDefault, wholeNumber } from "../../facade/cli/terminal/Flags.ts"
import { print } from "../../facade/cli/terminal/Output.ts"
import { programOf, runCheck } from "../support/CheckProgram.ts"
import { type CrashResult, runCrashTest } from "./Crash.ts"

const flags = {
  rounds: wholeNumber("rounds", { minimum: 1 }, "How many rounds; each has new clients and new mishaps").pipe(
    orDefault(20)
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withDescription("What goes wrong and what clients want follows from it"),
    orDefault(null, "by chance")
  )
}

const seed_max = 999_999

const named_max = 5

const missedText = (missed: ReadonlyArray<string>): string => {
  if (missed.length === 0) return ""
  return missed.length > named_max ? " (--json names the others)" : `, not ${missed.join(", not ")}`
}

const resultText = ({
  calls,
  errands,
  kinds,
  missed,
  missedKinds,
  reached,
  rounds,
  seed,
  unanswered
}: CrashResult): string =>
  [
    `${rounds} ${rounds === 1 ? "round" : "rounds"} by seed ${seed}: ${errands} errands, ${calls} calls, ${unanswered} of them without an answer;`,
    `servers were killed or stopped at ${reached.length} of ${reached.length + missed.length} points${missedText(missed)};`,
    `of ${kinds.length + missedKinds.length} kinds of mishaps ${kinds.length} happened${missedText(missedKinds)}.`,
    "Nothing was lost, doubled or contradicted."
  ].join("\n")

const command = Command.make("npm run crash --", flags, ({ rounds, seed: given }) =>
  Effect.gen(function* () {
    const seed = given ?? (yield* Random.nextIntBetween(1, seed_max))
    const plan = { rounds, seed }
    yield* runCrashTest(plan).pipe(
      Effect.tap((result) => print({ ok: true, ...result }, resultText(result))),
      Effect.tapError((broken) => {
        const { breaches, logs, round, story } = broken
        return print({ ok: false, ...plan, round, breaches, story, logs }, broken.message)
      })
    )
  })
).pipe(
  Command.withDescription(
    `Let two server processes sell, through a provider and an insurer in a process of their own, while servers are killed or stopped at every point of a sale, a reversal, a policy and a recovery, Postgres is killed under them, connections break around a commit, and suppliers misbehave. After each round everything is healed, recovery comes to rest, and what suppliers did and clients heard is held against the books. Time is the run's own, so that recovery has not to be waited for. Exit code 1 when a law is broken: then the seed, the round's story and the logs are shown; 2 for wrong usage.

--json prints {ok, rounds, seed}; when ok also {errands, calls, unanswered, reached: [point], missed: [point], kinds: [mishap], missedKinds: [mishap]}, when not {round, breaches: [{law, what}], story, logs}.`
  ),
  Command.withShortDescription("Crash servers and Postgres under load, and look for lost money"),
  Command.withExamples([
    { command: "npm run crash -- --rounds 60", description: "The long form" },
    {
      command: "npm run crash -- --rounds 13 --seed 7",
      description: "The mishaps of a run that failed in its round 13"
    }
  ])
)

programOf(command).pipe(
  // What is logged while things break is nobody's news here.
  Effect.provideService(References.MinimumLogLevel, "None"),
  runCheck
)
