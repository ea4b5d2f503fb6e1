import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, DateTime, Effect, Option } from "effect"
import { CliConfig, Command, Flag, GlobalFlag } from "effect/cli"
import manifest from "../package.json" with { type: "json" }
import { type Plan, run } from "./Bench.ts"
import { pageOf } from "./report/Html.ts"
import { factsOf } from "./report/Machine.ts"
import { drawProfile } from "./report/Profiled.ts"
import { textOf } from "./report/Table.ts"
import { contestNames } from "./stages/Contest.ts"
import { Failed } from "./support/Failed.ts"
import { isMet } from "./support/Figures.ts"
import { temporaryPostgres } from "./support/Postgres.ts"

const report = fileURLToPath(new URL("report.html", import.meta.url))

const whole = (name: string, minimum: number, fallback: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.withDescription(`${description} (${fallback} when absent)`),
    Flag.filter(
      (value) => value >= minimum,
      () => `Expected: a whole number from ${minimum}`
    ),
    Flag.withDefault(fallback)
  )

const parts = [...contestNames, "replicas"] as const
type Part = (typeof parts)[number]

const only = Flag.String("only").pipe(
  Flag.withDescription(
    `Which of the comparisons, parted by commas (${parts.join(", ")}); replicas repeats the others with two servers. All when absent`
  ),
  Flag.withMetavar("a,b"),
  Flag.map((value) => value.split(",").map((part) => part.trim())),
  Flag.filterMap(
    (names) =>
      Option.liftPredicate(names, (all): all is Array<Part> =>
        all.every((name) => parts.some((part) => part === name))
      ),
    (names) => `Expected: some of ${parts.join(", ")}; not ${names.join(",")}`
  ),
  Flag.withDefault<ReadonlyArray<Part>>(parts)
)

const flags = {
  rounds: whole("rounds", 1, 5, "Rounds of each comparison; the sides take turns and medians count"),
  seconds: whole("seconds", 1, 8, "Length of a load"),
  connections: whole("connections", 1, 64, "Calls under way at once"),
  only,
  rows: whole("rows", 0, 0, "Load so many sales first, and compare with an empty database and a small company too"),
  soak: whole("soak", 0, 0, "Watch the server's memory for so many minutes of selling"),
  profile: Flag.Directory("profile").pipe(
    Flag.withDescription("Leave a CPU profile of the Saldo server in this directory, and draw it as flame.svg"),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Print one JSON document"),
    Flag.withDefault(false)
  )
}

const planOf = ({ only, profile, ...numbers }: Command.Command.Config.Infer<typeof flags>): Plan => {
  const chosen = contestNames.filter((name) => only.includes(name))
  return {
    ...numbers,
    contests: chosen.length === 0 && only.includes("replicas") ? contestNames : chosen,
    replicas: only.includes("replicas"),
    profile: Option.getOrNull(profile)
  }
}

const bench = Command.make("bench", flags, (given) =>
  Effect.gen(function* () {
    const plan = planOf(given)
    const results = yield* run(plan)
    const facts = factsOf(plan, DateTime.formatIso(yield* DateTime.now))
    yield* Effect.sync(() => writeFileSync(report, pageOf(results, facts)))
    const sections = results.sections.map(({ figures, title }) => ({
      title,
      figures: figures.map((figure) => ({ ...figure, met: isMet(figure) }))
    }))
    yield* Console.log(
      given.json
        ? JSON.stringify({ facts, sections, proofs: results.proofs }, null, 2)
        : `${textOf(results)}\n\nWith charts: ${report}`
    )
    if (plan.profile !== null) yield* Console.error(drawProfile(plan.profile))
    if (results.proofs.some(({ ok }) => !ok)) return yield* new Failed({ message: "the database is not sound" })
  })
).pipe(
  Command.provide(temporaryPostgres),
  Command.withDescription(
    "Hold Saldo against a top-up service as people usually write it: Fastify and pg, one database transaction a step, no credentials, no validation. Both run as processes of their own on one embedded Postgres, each on its own database, and take the same load in turn. Saldo does all that it does in production. Figures are of this machine; ratios are what counts. Uses wrk when it is installed, else autocannon. Writes bench/report.html. Exit code 1 when a call failed or the database is not sound afterwards; a missed goal is only said."
  ),
  Command.withShortDescription("Measure Saldo against the usual service"),
  Command.withExamples([
    { command: "npm run bench -- --only busy --rounds 3 --seconds 4", description: "One comparison, in half a minute" },
    { command: "npm run bench -- --rows 5000000", description: "With five million sales in the database" },
    { command: "npm run bench -- --only busy --soak 30", description: "Watch the memory for half an hour" },
    { command: "npm run bench -- --only busy --profile .", description: "See where the server spends its time" }
  ])
)

Command.run(bench, { version: manifest.version }).pipe(
  Effect.provideService(CliConfig.CliConfig, { builtIns: [GlobalFlag.Help] }),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
