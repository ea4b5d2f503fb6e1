import { readFileSync, writeFileSync } from "node:fs"
import { Console, DateTime, Effect, Option, Random, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { commaListOf, orDefault, toggle, wholeNumber, withNote } from "../../facade/cli/terminal/Flags.ts"
import { CheckFailed, print } from "../../facade/cli/terminal/Output.ts"
import { programOf, runCheck } from "../support/CheckProgram.ts"
import { environmentFacts } from "./Environment.ts"
import { partNames } from "./Parts.ts"
import { everythingHeld, type Proof, proofTables, proofText, replaceTables } from "./ProofReport.ts"
import { prove } from "./Prove.ts"

const page = new URL("../../docs/proof.md", import.meta.url)

/** Largest seed that every part accepts. */
const seed_max = 999_999

const shareForm = "above 0 and at most 1"

const flags = {
  only: commaListOf(
    "only",
    partNames,
    "Parts to run; memory and sql are the simulation, mutants the planted bugs"
  ).pipe(orDefault(partNames, "all")),
  seed: wholeNumber("seed", { minimum: 1, maximum: seed_max }, "Seed of all parts with random choices").pipe(
    orDefault(null, "random")
  ),
  share: Flag.String("share").pipe(
    Flag.withDescription(
      "Share of the full size, for a trial. Races always run whole; a trial plants bugs in memory only"
    ),
    withNote(`${shareForm}, such as 0.01`),
    Flag.withMetavar("number"),
    Flag.filterMap(
      (text) => Option.liftPredicate(Number(text), (share) => share > 0 && share <= 1),
      () => `Expected: a number ${shareForm}`
    ),
    orDefault(1)
  ),
  write: toggle("write", "Write the results of a trial into docs/proof.md. A full run always writes them")
}

/** Failure to write the results, because docs/proof.md lacks the markers. */
class NoPlace extends Schema.TaggedError<NoPlace>()("NoPlace", { message: Schema.String }) {}

const write = Effect.fnUntraced(function* (proof: Proof) {
  const text = replaceTables(readFileSync(page, "utf8"), proofTables(proof))
  if (text === null) return yield* new NoPlace({ message: "docs/proof.md lacks the markers of the results" })
  yield* Effect.sync(() => writeFileSync(page, text))
  yield* Console.error("wrote docs/proof.md")
})

const run = Effect.fnUntraced(function* (given: Command.Command.Config.Infer<typeof flags>) {
  const { only, share } = given
  const names = partNames.filter((name) => only.includes(name))
  const seed = given.seed ?? (yield* Random.nextIntBetween(1, seed_max))
  const isWhole = share === 1 && names.length === partNames.length
  const command = [
    `npm run prove -- --seed ${seed}`,
    ...(names.length === partNames.length ? [] : [`--only ${names.join(",")}`]),
    ...(share === 1 ? [] : [`--share ${share}`])
  ].join(" ")
  const around = yield* environmentFacts
  const began = yield* DateTime.now
  const parts = yield* prove(names, { seed, share })
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0)
  const at = `${DateTime.formatIso(began).slice(0, 16)}Z`
  const proof: Proof = { at, command, seconds, isWhole, ...around, parts }
  yield* print({ ok: everythingHeld(proof), ...proof }, proofText(proof))
  if (isWhole || given.write) yield* write(proof)
  if (!everythingHeld(proof)) return yield* new CheckFailed()
})

const command = Command.make("npm run prove --", flags, run).pipe(
  Command.withDescription(
    "Runs all checks for lost, doubled or invented money at full size, one after the other: the simulation in memory and on the SQL functions, the planted bugs that the simulation must catch, the races, the crashes and the fuzzing. Prints the command of each part. A violation does not stop the run; it then ends with exit code 1 and the commands that reproduce the violations. Exit code 2 for wrong usage.\n\nWrites the results of a full run into docs/proof.md, next to the claims and assumptions. Do not use the machine for other work during the run."
  ),
  Command.withShortDescription("Run all checks of the money in their long form"),
  Command.withExamples([
    { command: "npm run prove", description: "A full run, which writes docs/proof.md" },
    { command: "npm run prove -- --share 0.01", description: "A trial of all parts in a few minutes" },
    { command: "npm run prove -- --only crash,fuzz --seed 7", description: "Two parts with a fixed seed" }
  ])
)

programOf(command).pipe(runCheck)
