import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Exit, Option, Random, Redacted } from "effect"
import { CliConfig, CliError, Command, Flag, GlobalFlag } from "effect/cli"
import { EmbeddedPostgres } from "../adapters/embedded/EmbeddedPostgres.ts"
import { temporaryPostgres } from "../bench/support/Postgres.ts"
import { AsJson, CheckFailed, print } from "../facade/cli/Output.ts"
import manifest from "../package.json" with { type: "json" }
import { fuzz, type Plan, thorough_min } from "./Fuzz.ts"
import { progressOf } from "./report/Progress.ts"
import { documentOf, isSound, wordsOf } from "./report/Report.ts"
import { worldOn } from "./world/World.ts"

const seed_max = 2 ** 31 - 1

const whole = (name: string, maximum: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.withDescription(description),
    Flag.filter(
      (value) => value >= 1 && value <= maximum,
      () => `Expected: a whole number from 1 to ${maximum}`
    )
  )

const flags = {
  requests: whole(
    "requests",
    100_000_000,
    `How many requests are made, or a few more: a story is told to its end (${thorough_min} when absent)`
  ).pipe(Flag.withDefault(thorough_min)),
  seed: whole("seed", seed_max, "What the requests follow from (any when absent)").pipe(Flag.optional),
  json: Flag.Boolean("json").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Print one JSON document"),
    Flag.withDefault(false)
  )
}

const run = Effect.fnUntraced(function* (plan: Plan) {
  const { url } = yield* EmbeddedPostgres
  const tick = yield* progressOf(plan.requests)
  const outcome = yield* fuzz(plan, tick).pipe(Effect.provide(worldOn(Redacted.value(url))), Effect.scoped)
  yield* print(documentOf(plan, outcome), wordsOf(plan, outcome))
  if (!isSound(outcome)) return yield* new CheckFailed()
})

const command = Command.make("fuzz", flags, ({ json, requests, seed }) =>
  Effect.flatMap(Random.nextIntBetween(1, seed_max), (any) =>
    run({ requests, seed: Option.getOrElse(seed, () => any) })
  ).pipe(Effect.provideService(AsJson, json))
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

const wrongUsage = 2

/** What is wrong with a command line has been said by then. */
const explain = (error: unknown) => {
  if (error instanceof CheckFailed) return Effect.succeed(1)
  return CliError.isCliError(error) ? Effect.succeed(wrongUsage) : Effect.fail(error)
}

Command.run(command, { version: manifest.version }).pipe(
  Effect.as(0),
  Effect.catch(explain),
  Effect.provideService(CliConfig.CliConfig, { builtIns: [GlobalFlag.Help] }),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    teardown: (exit, onExit) => onExit(Exit.match(exit, { onSuccess: (code) => code as number, onFailure: () => 1 }))
  })
)
