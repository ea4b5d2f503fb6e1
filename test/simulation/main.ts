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
import { generateOperations } from "./operations/GenerateOperations.ts"
import { campaignPage } from "./report/CampaignPage.ts"
import { campaignDocument, campaignText, totalSteps } from "./report/CampaignText.ts"
import { mutationDocument, mutationPage, mutationText } from "./report/MutationReport.ts"

const flags = {
  seeds: wholeNumber(
    "seeds",
    { minimum: 1 },
    "Number of seeds; with --mutants, maximum number of seeds for each bug"
  ).pipe(orDefault(200)),
  ops: wholeNumber("ops", { minimum: 1 }, "Number of operations of each seed").pipe(orDefault(200)),
  seed: wholeNumber("seed", { minimum: 0 }, "The first seed; with --seeds 1, repeats the run of this seed").pipe(
    orDefault(0)
  ),
  on: Flag.Literals("on", backends).pipe(
    Flag.withDescription(
      "Where the money is kept: books in memory, or the SQL functions in an in-process Postgres; with --mutants, tests only the bugs of this backend"
    ),
    orDefault(null, "memory; with --mutants both")
  ),
  mutants: toggle("mutants", "Plant each known bug and show the seed and the invariant that catch it"),
  report: Flag.File("report").pipe(
    Flag.withDescription(
      "Write an HTML report: the timeline of a run, the coverage and the failure, if any; with --mutants, the planted bugs"
    ),
    Flag.withMetavar("FILE.html"),
    orDefault(null, "none")
  )
}

/** Maximum number of runs for shrinking. A run takes 1 to 2 s on Postgres, and a twentieth of that time in memory. */
const shrinkingTries_max: Readonly<Record<Backend, number>> = { memory: 300, sql: 60 }

/** Reports a failed check on stderr, because stdout must contain only the document. */
const failCheck = (what: string) => Effect.andThen(Console.error(what), Effect.fail(new CheckFailed()))

const write = (file: string, page: string) =>
  Effect.andThen(
    Effect.sync(() => writeFileSync(file, page)),
    Console.error(`report written to ${file}`)
  )

/** Reduces the first failure to few operations and faults. */
const shrunkScenarioOf = Effect.fnUntraced(function* ({ failed, plan: { on, ops } }: Campaign) {
  if (failed === null) return null
  const { seed, violation } = failed
  yield* Console.error(`seed ${seed} violates an invariant: "${violation?.invariant}". Shrinking the failure`)
  return yield* Effect.promise(async () =>
    shrink(
      await runSeed({ seed, ops, on }),
      generateOperations(seed, ops, on),
      (part, script) => runOn(on, seed, part, { script }),
      shrinkingTries_max[on]
    )
  )
})

const factsOf = (run: Campaign): Readonly<Record<string, string>> => ({
  seeds: `${run.outcomes.length} of ${run.plan.seeds}, from seed ${run.plan.seed}`,
  operations: `${run.plan.ops} per seed`,
  backend: run.plan.on,
  events: totalSteps(run).toLocaleString("en"),
  digest: run.digest
})

const pageFor = Effect.fnUntraced(function* (run: Campaign, story: ShrunkScenario | null) {
  const { coverage, plan } = run
  const shown = story?.result ?? (yield* Effect.promise(() => runSeed(plan)))
  return campaignPage({ facts: factsOf(run), on: plan.on, coverage, shown, story })
})

/** Runs seeds until a seed violates an invariant. */
const search = Effect.fnUntraced(function* (plan: CampaignPlan, report: string | null) {
  const run = yield* runCampaign(plan)
  const story = yield* shrunkScenarioOf(run)
  yield* print(campaignDocument(run, story), campaignText(run, story))
  if (report !== null) yield* write(report, yield* pageFor(run, story))
  if (story !== null) return yield* failCheck("an invariant was violated")
  if (run.thin.length > 0) return yield* failCheck("some faults hit some steps less often than demanded")
})

/** Plants each mutant and looks for a seed that catches the mutant. */
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
    `Run the production workflows in a simulation. A seed determines everything: time, the order of concurrent events, the requests of callers and operators, and the faults. Processes die between any two steps, pause, or have wrong clocks. Database connections break before and after a commit. Providers, insurers, gateways and webhooks respond late, falsely or not at all. Invariants are checked during the run: those of "saldo audit", and further ones on responses, orders and leases. They are checked after every write in memory, and every few dozen statements in Postgres. At the end, faults stop, time passes, exactly the delivered sales must be charged, and every healthy webhook must have received every event. The same seed repeats the same run exactly. A failure is shrunk to few operations and faults.

Exit code 2: wrong usage. Exit code 1: an invariant was violated, a planted bug was not caught, or a fault hit some step less often than a run of this length demands (minimum hits: ${demandsText}).

--json prints {seeds, ops, seed, on, done, steps, digest, coverage: {pair: hits}, thin: [pair hit too rarely], violation: {seed, invariant, what, at_ms} or null, failure: {seed, invariant, what, at_ms, ops, faults, story: [trace line], again: command that repeats the run} or null}; with --mutants {seeds, ops, seed, on, mutants: [{mutant, on, caught: {seed, invariant, what} or null}], survivors: [mutant]}.`
  ),
  Command.withShortDescription("Search for a seed that violates a money invariant"),
  Command.withExamples([
    { command: "npm run simulate -- --seeds 5000", description: "Run a million operations in memory" },
    { command: "npm run simulate -- --on sql --seeds 100", description: "Run on the SQL functions" },
    { command: "npm run simulate -- --mutants", description: "Check that every planted bug is caught" },
    { command: "npm run simulate -- --seed 4711 --seeds 1 --report run.html", description: "Write a report of one run" }
  ])
)

programOf(command).pipe(runCheck)
