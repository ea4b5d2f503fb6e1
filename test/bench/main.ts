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

const parts = [...comparisonNames, "documents", "console", "events", "tail", "cells", "history", "replicas"] as const

const flags = {
  rounds: wholeNumber(
    "rounds",
    { minimum: 1 },
    "Rounds of each comparison; each service gets the load in turn, and medians are reported"
  ).pipe(orDefault(5)),
  seconds: wholeNumber("seconds", { minimum: 1 }, "Duration of a load in seconds").pipe(orDefault(8)),
  connections: wholeNumber("connections", { minimum: 1 }, "Number of concurrent calls").pipe(orDefault(64)),
  only: commaListOf(
    "only",
    parts,
    "Comparisons to run; documents: sales during a burst of PDFs; console: sales with four consoles open; events: sales with webhooks; tail: the longest response times during other work, at 70 % of the highest rate; cells: sales over four cells, on one Postgres server and on two, against one cell; history: with --rows, sales compared with an empty database, reads compared with a small company, and recovery; replicas: the other comparisons with two servers"
  ).pipe(orDefault(parts, "all")),
  rows: wholeNumber("rows", { minimum: 0 }, "Number of sales to load first").pipe(orDefault(0)),
  soak: wholeNumber("soak", { minimum: 0 }, "Minutes of load during which the memory of the server is sampled").pipe(
    orDefault(0)
  ),
  profile: Flag.Directory("profile").pipe(
    Flag.withDescription("Directory for a CPU profile of the Saldo server and its flame graph, flame.svg"),
    orDefault(null, "none")
  )
}

const planOf = ({ only, profile, ...numbers }: Command.Command.Config.Infer<typeof flags>): BenchmarkPlan => {
  const chosen = comparisonNames.filter((name) => only.includes(name))
  return {
    ...numbers,
    comparisons: chosen.length === 0 && only.includes("replicas") ? comparisonNames : chosen,
    replicas: only.includes("replicas"),
    documents: only.includes("documents"),
    console: only.includes("console"),
    events: only.includes("events"),
    tail: only.includes("tail"),
    history: only.includes("history") && numbers.rows > 0,
    cells: only.includes("cells"),
    profile
  }
}

const bench = Command.make("npm run bench --", flags, (given) =>
  Effect.gen(function* () {
    const plan = planOf(given)
    const results = yield* runBenchmark(plan)
    const facts = environmentFacts(plan, DateTime.formatIso(yield* DateTime.now))
    yield* Effect.sync(() => writeFileSync(report, htmlReport(results, facts)))
    const sections = results.sections.map(({ measurements, title }) => ({
      title,
      measurements: measurements.map((measurement) => ({ ...measurement, met: isGoalMet(measurement) }))
    }))
    yield* print({ facts, sections, checks: results.checks }, `${textReport(results)}\n\nReport with charts: ${report}`)
    if (plan.profile !== null) yield* Console.error(drawProfile(plan.profile))
    if (results.checks.some(({ ok }) => !ok))
      return yield* new BenchmarkFailed({ message: "a check of the database failed" })
  })
).pipe(
  Command.provide(temporaryPostgres),
  Command.withDescription(
    "Compares Saldo with a conventional top-up service: Fastify and pg, one database transaction a step, no credentials, no validation. Both run as separate processes on one embedded Postgres, each on its own database, and handle the same load in turn. Saldo runs as in production. Absolute values depend on the machine; compare the ratios. Uses wrk if it is installed, otherwise autocannon. Writes test/bench/report.html.\n\nExit code 1 when a call failed or a check of the database failed, 2 for wrong usage. A missed goal is only reported."
  ),
  Command.withShortDescription("Compare Saldo with a conventional service"),
  Command.withExamples([
    { command: "npm run bench -- --only busy --rounds 3 --seconds 4", description: "One comparison, in half a minute" },
    { command: "npm run bench -- --rows 5000000", description: "Compare on five million sales" },
    { command: "npm run bench -- --only busy --soak 30", description: "Sample the memory for half an hour" },
    { command: "npm run bench -- --only busy --profile .", description: "Profile the server" }
  ])
)

programOf(bench).pipe(runCheck)
