import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Console, DateTime, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { commaListOf, orDefault, wholeNumber } from "../../facade/cli/terminal/Flags.ts"
import { print } from "../../facade/cli/terminal/Output.ts"
import { programOf, runCheck } from "../support/CheckProgram.ts"
import { temporaryPostgres } from "../support/EmbeddedDatabases.ts"
import { drawProfile } from "./report/CpuProfile.ts"
import { htmlReport } from "./report/HtmlReport.ts"
import { environmentFacts, textReport } from "./report/TextReport.ts"
import { type BenchmarkPlan, runBenchmark } from "./stages/Benchmark.ts"
import { comparisonNames } from "./stages/Comparisons.ts"
import { BenchmarkFailed } from "./support/Measure.ts"
import { isGoalMet } from "./support/Measurements.ts"

const report = fileURLToPath(new URL("report.html", import.meta.url))

const parts = [...comparisonNames, "replicas"] as const

const flags = {
  rounds: wholeNumber(
    "rounds",
    { minimum: 1 },
    "Rounds of each comparison; the sides take turns and medians count"
  ).pipe(orDefault(5)),
  seconds: wholeNumber("seconds", { minimum: 1 }, "Length of a load, in seconds").pipe(orDefault(8)),
  connections: wholeNumber("connections", { minimum: 1 }, "Calls under way at once").pipe(orDefault(64)),
  only: commaListOf("only", parts, "Which of the comparisons; replicas repeats the others with two servers").pipe(
    orDefault(parts, "all")
  ),
  rows: wholeNumber(
    "rows",
    { minimum: 0 },
    "Load so many sales first, and compare with an empty database and a small company too"
  ).pipe(orDefault(0)),
  soak: wholeNumber("soak", { minimum: 0 }, "Watch the server's memory for so many minutes of selling").pipe(
    orDefault(0)
  ),
  profile: Flag.Directory("profile").pipe(
    Flag.withDescription("Leave a CPU profile of the Saldo server in this directory, and draw it as flame.svg"),
    orDefault(null, "none")
  )
}

const planOf = ({ only, profile, ...numbers }: Command.Command.Config.Infer<typeof flags>): BenchmarkPlan => {
  const chosen = comparisonNames.filter((name) => only.includes(name))
  return {
    ...numbers,
    contests: chosen.length === 0 && only.includes("replicas") ? comparisonNames : chosen,
    replicas: only.includes("replicas"),
    profile
  }
}

const bench = Command.make("npm run bench --", flags, (given) =>
  Effect.gen(function* () {
    const plan = planOf(given)
    const results = yield* runBenchmark(plan)
    const facts = environmentFacts(plan, DateTime.formatIso(yield* DateTime.now))
    yield* Effect.sync(() => writeFileSync(report, htmlReport(results, facts)))
    const sections = results.sections.map(({ figures, title }) => ({
      title,
      figures: figures.map((figure) => ({ ...figure, met: isGoalMet(figure) }))
    }))
    yield* print({ facts, sections, proofs: results.proofs }, `${textReport(results)}\n\nWith charts: ${report}`)
    if (plan.profile !== null) yield* Console.error(drawProfile(plan.profile))
    if (results.proofs.some(({ ok }) => !ok))
      return yield* new BenchmarkFailed({ message: "the database is not sound" })
  })
).pipe(
  Command.provide(temporaryPostgres),
  Command.withDescription(
    "Hold Saldo against a top-up service as people usually write it: Fastify and pg, one database transaction a step, no credentials, no validation. Both run as processes of their own on one embedded Postgres, each on its own database, and take the same load in turn. Saldo does all that it does in production. Figures are of this machine; ratios are what counts. Uses wrk when it is installed, else autocannon. Writes bench/report.html. Exit code 1 when a call failed or the database is not sound afterwards, 2 for wrong usage; a missed goal is only said."
  ),
  Command.withShortDescription("Measure Saldo against the usual service"),
  Command.withExamples([
    { command: "npm run bench -- --only busy --rounds 3 --seconds 4", description: "One comparison, in half a minute" },
    { command: "npm run bench -- --rows 5000000", description: "With five million sales in the database" },
    { command: "npm run bench -- --only busy --soak 30", description: "Watch the memory for half an hour" },
    { command: "npm run bench -- --only busy --profile .", description: "See where the server spends its time" }
  ])
)

programOf(bench).pipe(runCheck)
