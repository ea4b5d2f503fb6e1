import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Option, Random, References } from "effect"
import { CliConfig, Command, Flag, GlobalFlag } from "effect/cli"
import manifest from "../package.json" with { type: "json" }
import { crash, type Result } from "./Crash.ts"

const flags = {
  rounds: Flag.Int("rounds").pipe(
    Flag.withDescription("How many rounds; each has new clients and new mishaps (20 when absent)"),
    Flag.filter(
      (rounds) => rounds >= 1,
      () => "Expected: a whole number from 1"
    ),
    Flag.withDefault(20)
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withDescription("What goes wrong and what clients want follows from it; by chance when absent"),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withoutNegation,
    Flag.withDescription(
      "Print one JSON document: ok, rounds and seed; when ok also errands, calls, unanswered, reached and missed (points), kinds and missedKinds (of mishaps); when not also round, breaches (law, what), story and logs"
    ),
    Flag.withDefault(false)
  )
}

const seed_max = 999_999

const but = (missed: ReadonlyArray<string>): string => (missed.length === 0 ? "" : `, not ${missed.join(", not ")}`)

const wordsOf = ({ calls, errands, kinds, missed, missedKinds, reached, rounds, seed, unanswered }: Result): string =>
  [
    `${rounds} rounds by seed ${seed}: ${errands} errands, ${calls} calls, ${unanswered} of them without an answer;`,
    `servers were killed or stopped at ${reached.length} of ${reached.length + missed.length} points${but(missed)};`,
    `of ${kinds.length + missedKinds.length} kinds of mishaps ${kinds.length} happened${but(missedKinds)}.`,
    "Nothing was lost, doubled or contradicted."
  ].join("\n")

const toJson = (document: object): string => JSON.stringify(document, null, 2)

const command = Command.make("crash", flags, ({ json, rounds, seed: given }) =>
  Effect.gen(function* () {
    const seed = Option.isSome(given) ? given.value : yield* Random.nextIntBetween(1, seed_max)
    const plan = { rounds, seed }
    yield* crash(plan).pipe(
      Effect.tap((result) => Console.log(json ? toJson({ ok: true, ...result }) : wordsOf(result))),
      Effect.tapError((broken) => {
        const { breaches, logs, round, story } = broken
        return Console.log(json ? toJson({ ok: false, ...plan, round, breaches, story, logs }) : broken.message)
      })
    )
  })
).pipe(
  Command.withDescription(
    "Let two server processes sell, through a provider and an insurer in a process of their own, while servers are killed or stopped at every point of a sale, a reversal, a policy and a recovery, Postgres is killed under them, connections break around a commit, and suppliers misbehave. After each round everything is healed, recovery comes to rest, and what suppliers did and clients heard is held against the books. Time is the run's own, so that recovery has not to be waited for. Exit code 1 when a law is broken: then the seed, the round's story and the logs are shown."
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

Command.run(command, { version: manifest.version }).pipe(
  Effect.provideService(CliConfig.CliConfig, { builtIns: [GlobalFlag.Help] }),
  // What is logged while things break is nobody's news here.
  Effect.provideService(References.MinimumLogLevel, "None"),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
