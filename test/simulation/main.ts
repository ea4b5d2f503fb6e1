import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { orDefault, toggle, wholeNumber } from "../../facade/cli/terminal/Flags.ts"
import { CheckFailed, print } from "../../facade/cli/terminal/Output.ts"
import { programOf, runCheck } from "../support/CheckProgram.ts"
import {
  type Campaign,
  type CampaignPlan,
  demands,
  type MutationPlan,
  runCampaign,
  runMutants
} from "./campaign/Campaign.ts"
import { runOn, runSeed } from "./campaign/Job.ts"
import { type ShrunkScenario, shrink } from "./campaign/Shrink.ts"
import { type Backend, backends } from "./engine/Faults.ts"
import { campaignPage } from "./report/CampaignPage.ts"
import { campaignDocument, campaignText, totalSteps } from "./report/CampaignText.ts"
import { mutationDocument, mutationPage, mutationText } from "./report/MutationReport.ts"

const flags = {
  seeds: wholeNumber(
    "seeds",
    { minimum: 1 },
    "How many seeds to run; with --mutants, by how many to look for each bug"
  ).pipe(orDefault(200)),
  ops: wholeNumber("ops", { minimum: 1 }, "How many operations a seed has").pipe(orDefault(200)),
  seed: wholeNumber(
    "seed",
    { minimum: 0 },
    "The first seed; with --seeds 1 the only one, run again to the letter"
  ).pipe(orDefault(0)),
  on: Flag.Literals("on", backends).pipe(
    Flag.withDescription(
      "Where the money is kept: maps in memory, or the SQL functions in a Postgres in this process; with --mutants, only the bugs that are planted there"
    ),
    orDefault(null, "memory; with --mutants both")
  ),
  mutants: toggle("mutants", "Plant bugs, one after the other, and show the seed and the law that catch each"),
  report: Flag.File("report").pipe(
    Flag.withDescription(
      "Write a page: the course of a run, the coverage and the failure, if there is one; or the planted bugs"
    ),
    Flag.withMetavar("FILE.html"),
    orDefault(null, "none")
  )
}

/** Maximum number of runs for shrinking. A run takes 1 to 2 s on Postgres, and a twentieth of that in memory. */
const shrinkingTries_max: Readonly<Record<Backend, number>> = { memory: 300, sql: 60 }

/** Reports a failed check on stderr, because stdout contains only the document. */
const failCheck = (what: string) => Effect.andThen(Console.error(what), Effect.fail(new CheckFailed()))

const write = (file: string, page: string) =>
  Effect.andThen(
    Effect.sync(() => writeFileSync(file, page)),
    Console.error(`written: ${file}`)
  )

/** Shrinks the first failure to few operations and faults. */
const shrunkScenarioOf = Effect.fnUntraced(function* ({ failed, plan: { on, ops } }: Campaign) {
  if (failed === null) return null
  const { seed, violation } = failed
  yield* Console.error(`seed ${seed} breaks a law: "${violation?.law}". Looking for the shortest story`)
  return yield* Effect.promise(async () =>
    shrink(
      await runSeed({ seed, ops, on }),
      ops,
      (part, script) => runOn(on, seed, part, { script }),
      shrinkingTries_max[on]
    )
  )
})

const factsOf = (run: Campaign): Readonly<Record<string, string>> => ({
  seeds: `${run.outcomes.length} of ${run.plan.seeds}, from ${run.plan.seed}`,
  operations: `${run.plan.ops} a seed`,
  "money kept": run.plan.on,
  "steps of the world": totalSteps(run).toLocaleString("en"),
  trace: run.digest
})

const pageFor = Effect.fnUntraced(function* (run: Campaign, story: ShrunkScenario | null) {
  const { coverage, plan } = run
  const shown = story?.result ?? (yield* Effect.promise(() => runSeed(plan)))
  return campaignPage({ facts: factsOf(run), on: plan.on, coverage, shown, story })
})

/** Runs seeds until one violates an invariant. */
const search = Effect.fnUntraced(function* (plan: CampaignPlan, report: string | null) {
  const run = yield* runCampaign(plan)
  const story = yield* shrunkScenarioOf(run)
  yield* print(campaignDocument(run, story), campaignText(run, story))
  if (report !== null) yield* write(report, yield* pageFor(run, story))
  if (story !== null) return yield* failCheck("a law was broken")
  if (run.thin.length > 0) return yield* failCheck("some faults were too seldom at some steps")
})

/** Plants each mutant and looks for a seed that catches it. */
const mutate = Effect.fnUntraced(function* (plan: MutationPlan, report: string | null) {
  const run = yield* runMutants(plan)
  yield* print(mutationDocument(run), mutationText(run))
  if (report !== null) yield* write(report, mutationPage(run))
  if (run.survivors.length > 0) return yield* failCheck("a planted bug survived")
})

const demandsText = backends
  .flatMap((on) => demands[on].map(({ from_ops, hits_min }) => `${on}: ${hits_min} from ${from_ops} operations on`))
  .join("; ")

const command = Command.make("npm run simulate --", flags, ({ mutants, on, ops, report, seed, seeds }) => {
  const size = { seeds, ops, seed, threads: availableParallelism() }
  return mutants ? mutate({ ...size, on }, report) : search({ ...size, on: on ?? "memory" }, report)
}).pipe(
  Command.withDescription(
    `Run the workflows of production in a world of one seed: it decides the clock, the order of all that happens at once, what callers and operators ask for, and what goes wrong: processes that die between any two steps, pauses, clocks that jump, databases that are cut before and after a commit, providers, insurers and gateways that are late, silent or untrue. After every step the invariants of "saldo audit" and the laws of answers, orders and leases are looked at (in Postgres after some statements); at the end all faults are off, time passes, and what was delivered must be what was charged. The same seed is the same run to the letter. A failure is told with as few operations and faults as it takes.

Exit code 2 for wrong usage, 1 when a law was broken, when a planted bug survived, or when some fault was too seldom at some step for a run of that length (${demandsText}).

--json prints {seeds, ops, seed, on, done, steps, digest, coverage: {cell: hits}, thin: [cell], violation: {seed, law, what, at_ms} or null, failure: {seed, law, what, at_ms, ops, mishaps, story, again} or null}; with --mutants {seeds, ops, seed, on, mutants: [{mutant, on, caught: {seed, law, what} or null}], survivors: [mutant]}.`
  ),
  Command.withShortDescription("Look for a seed that loses money"),
  Command.withExamples([
    { command: "npm run simulate -- --seeds 5000", description: "A million operations in memory" },
    { command: "npm run simulate -- --on sql --seeds 100", description: "On the SQL functions" },
    { command: "npm run simulate -- --mutants", description: "Whether planted bugs are caught" },
    { command: "npm run simulate -- --seed 4711 --seeds 1 --report run.html", description: "One run, drawn" }
  ])
)

programOf(command).pipe(runCheck)
