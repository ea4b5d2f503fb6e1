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

/** Every program that takes a seed takes one up to here. */
const seed_max = 999_999

const shareForm = "above 0, and 1 at most"

const flags = {
  only: commaListOf(
    "only",
    partNames,
    "Which parts; memory and sql are the simulation, mutants the bugs planted into it"
  ).pipe(orDefault(partNames, "all")),
  seed: wholeNumber(
    "seed",
    { minimum: 1, maximum: seed_max },
    "What all parts that leave something to chance go by"
  ).pipe(orDefault(null, "by chance")),
  share: Flag.String("share").pipe(
    Flag.withDescription(
      "How much of the long form, for a trial: races are always whole, bugs are then planted in memory only"
    ),
    withNote(`${shareForm}, such as 0.01`),
    Flag.withMetavar("number"),
    Flag.filterMap(
      (text) => Option.liftPredicate(Number(text), (share) => share > 0 && share <= 1),
      () => `Expected: a number ${shareForm}`
    ),
    orDefault(1)
  ),
  write: toggle("write", "Write the figures of a trial into docs/proof.md too; those of the long form always are")
}

/** The page that the figures belong into does not have their place. */
class NoPlace extends Schema.TaggedError<NoPlace>()("NoPlace", { message: Schema.String }) {}

const write = Effect.fnUntraced(function* (proof: Proof) {
  const text = replaceTables(readFileSync(page, "utf8"), proofTables(proof))
  if (text === null) return yield* new NoPlace({ message: "docs/proof.md has lost the place of its figures" })
  yield* Effect.sync(() => writeFileSync(page, text))
  yield* Console.error("written: docs/proof.md")
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
    "Run everything that looks for lost, doubled or invented money, at length and one after the other: the simulation in memory and on the SQL functions, the bugs that are planted to see whether it would find them, the races, the crashes and the fuzzing. Each is a command of its own, which is shown. It goes on when one of them fails, and then ends with exit code 1 and the commands that show it again; wrong usage ends with 2. The figures of the long form are written into docs/proof.md, which says what is claimed and what is assumed. Leave the machine to it meanwhile."
  ),
  Command.withShortDescription("Prove that no money is lost, at length"),
  Command.withExamples([
    { command: "npm run prove", description: "The long form, which writes docs/proof.md" },
    { command: "npm run prove -- --share 0.01", description: "A trial of all of it, in some minutes" },
    { command: "npm run prove -- --only crash,fuzz --seed 7", description: "Two parts, by a seed" }
  ])
)

programOf(command).pipe(runCheck)
