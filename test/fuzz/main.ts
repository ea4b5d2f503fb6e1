import { Effect, Random, Redacted } from "effect"
import { Command } from "effect/cli"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"
import { orDefault, wholeNumber } from "../../facade/cli/terminal/Flags.ts"
import { CheckFailed, print } from "../../facade/cli/terminal/Output.ts"
import { programOf, runCheck } from "../support/CheckProgram.ts"
import { temporaryPostgres } from "../support/EmbeddedDatabases.ts"
import { progressByCount } from "../support/Progress.ts"
import { type FuzzPlan, fuzz, thorough_min } from "./run/Fuzz.ts"
import { allInvariantsHeld, reportDocument, reportText } from "./run/Report.ts"
import { serviceOn } from "./service/ServiceUnderTest.ts"

const seed_max = 2 ** 31 - 1

const flags = {
  requests: wholeNumber(
    "requests",
    { minimum: 1, maximum: 100_000_000 },
    "Number of requests, rounded up to the end of a scenario"
  ).pipe(orDefault(thorough_min)),
  seed: wholeNumber("seed", { minimum: 1, maximum: seed_max }, "Seed of the requests").pipe(orDefault(null, "random"))
}

const run = Effect.fnUntraced(function* (plan: FuzzPlan) {
  const { url } = yield* EmbeddedPostgres
  const tick = yield* progressByCount("requests", plan.requests)
  const outcome = yield* fuzz(plan, tick).pipe(Effect.provide(serviceOn(Redacted.value(url))), Effect.scoped)
  yield* print(reportDocument(plan, outcome), reportText(plan, outcome))
  if (!allInvariantsHeld(outcome)) return yield* new CheckFailed()
})

const command = Command.make("npm run fuzz --", flags, ({ requests, seed }) =>
  Effect.flatMap(Random.nextIntBetween(1, seed_max), (any) => run({ requests, seed: seed ?? any }))
).pipe(
  Command.provide(temporaryPostgres),
  Command.withDescription(
    `Tests the service with generated requests against its contract. Starts the whole service on an embedded Postgres and reads /v1/openapi.json. Sends valid and invalid requests to every path and method, over REST and tRPC, from callers of every kind. Later requests use values from earlier responses.

Every response must match the document. No request may cause a server error, a refused request may change nothing, no caller may see data of another company, and the final audit must find no violation. From ${thorough_min} requests on, every documented success status must also have been seen. The same seed generates the same requests. A failing sequence is shrunk and printed as curl commands.

Exit code 1 when an invariant is broken, 2 for wrong usage.`
  ),
  Command.withShortDescription("Fuzz the service with requests from its OpenAPI document"),
  Command.withExamples([
    { command: "npm run fuzz", description: "A thorough run with a random seed" },
    { command: "npm run fuzz -- --requests 5000 --seed 1", description: "The run of npm test" }
  ])
)

programOf(command).pipe(runCheck)
