import { Effect, Random, Redacted } from "effect"
import { Command } from "effect/cli"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"
import { orDefault, wholeNumber } from "../../facade/cli/terminal/Flags.ts"
import { CheckFailed, print } from "../../facade/cli/terminal/Output.ts"
import { programOf, runCheck } from "../support/CheckProgram.ts"
import { temporaryPostgres } from "../support/EmbeddedDatabases.ts"
import { progressByShare } from "../support/Progress.ts"
import { type FuzzPlan, fuzz, thorough_min } from "./run/Fuzz.ts"
import { allInvariantsHeld, reportDocument, reportText } from "./run/Report.ts"
import { serviceOn } from "./service/ServiceUnderTest.ts"

const seed_max = 2 ** 31 - 1

const flags = {
  requests: wholeNumber(
    "requests",
    { minimum: 1, maximum: 100_000_000 },
    "How many requests are made, or a few more: a story is told to its end"
  ).pipe(orDefault(thorough_min)),
  seed: wholeNumber("seed", { minimum: 1, maximum: seed_max }, "What the requests follow from").pipe(
    orDefault(null, "by chance")
  )
}

const run = Effect.fnUntraced(function* (plan: FuzzPlan) {
  const { url } = yield* EmbeddedPostgres
  const tick = yield* progressByShare(plan.requests)
  const outcome = yield* fuzz(plan, tick).pipe(Effect.provide(serviceOn(Redacted.value(url))), Effect.scoped)
  yield* print(reportDocument(plan, outcome), reportText(plan, outcome))
  if (!allInvariantsHeld(outcome)) return yield* new CheckFailed()
})

const command = Command.make("npm run fuzz --", flags, ({ requests, seed }) =>
  Effect.flatMap(Random.nextIntBetween(1, seed_max), (any) => run({ requests, seed: seed ?? any }))
).pipe(
  Command.provide(temporaryPostgres),
  Command.withDescription(
    `Hold the service to its contract by requests that nobody thought of. Starts all of it on an embedded Postgres of its own, reads /v1/openapi.json, and makes valid and broken requests of every path and method, over REST and tRPC, by callers of every kind, each made of what the ones before it were answered. Every answer has to be within the document; nothing may fail, nothing may change that was refused, nobody may see what is another's, and the audit has to be sound at the end. From ${thorough_min} requests on, every success that the document has must also have been seen. The same seed makes the same requests. What breaks a law is made as short as possible and printed as curl. Exit code 1 when a law was broken, 2 for wrong usage.`
  ),
  Command.withShortDescription("Fuzz the service by its OpenAPI document"),
  Command.withExamples([
    { command: "npm run fuzz", description: "A thorough run, with any seed" },
    { command: "npm run fuzz -- --requests 5000 --seed 1", description: "What npm test does" }
  ])
)

programOf(command).pipe(runCheck)
