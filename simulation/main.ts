import { writeFileSync } from "node:fs"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Option, Schema } from "effect"
import { CliConfig, Command, Flag, GlobalFlag } from "effect/cli"
import manifest from "../package.json" with { type: "json" }
import { simulate } from "./engine/Simulation.ts"
import { pageOf } from "./report/Page.ts"
import { type Campaign, campaign } from "./run/Campaign.ts"
import { runJob } from "./run/Job.ts"
import { asDocument, inWords } from "./run/Tell.ts"
import { type Story, shrink } from "./shrink/Shrink.ts"

/** Something did not hold; all there is to say has been said. */
class Broken extends Schema.TaggedError<Broken>()("Broken", { message: Schema.String }) {}

const whole = (name: string, minimum: number, fallback: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.withDescription(`${description} (${fallback} when absent)`),
    Flag.filter(
      (value) => value >= minimum,
      () => `Expected: a whole number from ${minimum}`
    ),
    Flag.withDefault(fallback)
  )

const flags = {
  seeds: whole("seeds", 1, 200, "How many seeds to run"),
  ops: whole("ops", 1, 200, "How many operations a seed has"),
  seed: whole("seed", 0, 0, "The first seed; with --seeds 1 the only one, run again to the letter"),
  report: Flag.File("report").pipe(
    Flag.withDescription("Write a page with the course of a run, the coverage and the failure, if there is one"),
    Flag.withMetavar("FILE.html"),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Print one JSON document"),
    Flag.withDefault(false)
  )
}

/** The first failure, told with as little as it takes. */
const storyOf = Effect.fnUntraced(function* ({ failed, plan }: Campaign) {
  if (failed === null) return null
  yield* Console.error(`seed ${failed.seed} breaks a law: "${failed.violation?.law}". Looking for the shortest story`)
  return yield* Effect.promise(async () => {
    const result = await runJob({ ...plan, seed: failed.seed })
    return await shrink(result, plan.ops, (ops, script) => simulate(failed.seed, ops, { script }))
  })
})

const factsOf = ({ digest, outcomes, plan }: Campaign): Readonly<Record<string, string>> => ({
  seeds: `${outcomes.length} of ${plan.seeds}, from ${plan.seed}`,
  operations: `${plan.ops} a seed`,
  "steps of the world": outcomes.reduce((sum, { steps }) => sum + steps, 0).toLocaleString("en"),
  trace: digest
})

const writeReport = Effect.fnUntraced(function* (file: string, run: Campaign, story: Story | null) {
  const shown = story?.result ?? (yield* Effect.promise(() => runJob({ ...run.plan, seed: run.plan.seed })))
  const page = pageOf({ facts: factsOf(run), coverage: run.coverage, shown, story })
  yield* Effect.sync(() => writeFileSync(file, page))
  yield* Console.error(`written: ${file}`)
})

const command = Command.make("simulate", flags, ({ json, report, ...plan }) =>
  Effect.gen(function* () {
    const run = yield* campaign(plan)
    const story = yield* storyOf(run)
    yield* Console.log(json ? JSON.stringify(asDocument(run, story), null, 2) : inWords(run, story))
    if (Option.isSome(report)) yield* writeReport(report.value, run, story)
    if (story !== null) return yield* new Broken({ message: "a law was broken" })
    if (run.isThin) return yield* new Broken({ message: "some faults were too seldom at some steps" })
  })
).pipe(
  Command.withDescription(
    'Run the workflows of production, on the ledger in memory, in a world of one seed: it decides the clock, the order of all that happens at once, what callers and operators ask for, and what goes wrong: processes that die between any two steps, pauses, clocks that jump, databases that are cut before and after a commit, providers, insurers and gateways that are late, silent or untrue. After every step the invariants of "saldo audit" and the laws of answers, orders and leases are looked at; at the end all faults are off, time passes, and what was delivered must be what was charged. The same seed is the same run to the letter. A failure is told with as few operations and faults as it takes. Exit code 1 when a law was broken, or when a run of 60,000 operations or more had some fault at some step fewer than ten times.'
  ),
  Command.withShortDescription("Look for a seed that loses money"),
  Command.withExamples([
    { command: "npm run simulate -- --seeds 5000", description: "A million operations in memory" },
    { command: "npm run simulate -- --seed 4711 --seeds 1 --report run.html", description: "One run, drawn" }
  ])
)

Command.run(command, { version: manifest.version }).pipe(
  Effect.provideService(CliConfig.CliConfig, { builtIns: [GlobalFlag.Help] }),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
