import { createHash } from "node:crypto"
import { DateTime } from "effect"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import type { Campaign } from "../campaign/Campaign.ts"
import type { ShrunkScenario } from "../campaign/Shrink.ts"
import type { TraceLine } from "../engine/Simulation.ts"
import { startInstantOf } from "../operations/GenerateOperations.ts"
import type { Operation } from "../operations/Operation.ts"

const nameOf = (text: string): string => `RD-${createHash("sha256").update(text).digest("hex").slice(0, 24)}`

/** Maps the names that sales and reversals have at suppliers to readable names. */
const namesIn = (ops: ReadonlyArray<Operation>): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  for (const op of ops) {
    if (!("company" in op)) continue
    const keys = "keys" in op ? op.keys : "key" in op ? [op.key] : []
    for (const key of keys) {
      names.set(nameOf(`${op.company}:${key}`), `sale ${key}`)
      names.set(nameOf(`${op.company}:${key}\nanular`), `reversal ${key}`)
    }
  }
  return names
}

const localTime = (seed: number, { at_ms }: TraceLine): string => {
  const instant = startInstantOf(seed) + at_ms
  return `${formatLocal(DateTime.makeUnsafe(instant))}.${String(instant % 1000).padStart(3, "0")}`
}

/** The trace of a shrunk failure with one line for each event. Times are local, and names are readable. */
const scenarioLines = ({ ops, result }: ShrunkScenario): ReadonlyArray<string> => {
  const names = namesIn(ops)
  const named = (text: string): string => text.replaceAll(/RD-[0-9a-f]{24}/g, (name) => names.get(name) ?? name)
  return result.trace.lines.map(
    (line) => `${localTime(result.seed, line)}  ${line.where.padEnd(9)} ${named(line.what)}`
  )
}

/** A shrunk failure as text. */
export const scenarioText = (story: ShrunkScenario): string => {
  const { ops, result, whole } = story
  const { faults, seed, violation } = result
  return [
    `Seed ${seed} violates an invariant: ${violation?.invariant}`,
    `${violation?.what}`,
    `Shrunk to ${ops.length} of ${whole.ops} operations and ${faults.happened.size} of ${whole.faults} faults:`,
    ...scenarioLines(story).map((line) => `  ${line}`)
  ].join("\n")
}

const places = { memory: "in memory", sql: "on the SQL functions" } as const

const leastHit = ({ coverage }: Campaign): number => Math.min(...coverage.values())

/** Number of events in all runs together. */
export const totalSteps = ({ outcomes }: Campaign): number => outcomes.reduce((sum, { steps }) => sum + steps, 0)

/** The command that repeats the run. */
const rerunCommand = (story: ShrunkScenario, { plan }: Campaign): string =>
  `npm run simulate -- --seed ${story.result.seed} --seeds 1 --ops ${plan.ops} --on ${plan.on}`

/** The result of a campaign as text. */
export const campaignText = (run: Campaign, story: ShrunkScenario | null): string => {
  const { coverage, digest, outcomes, plan } = run
  const facts = [
    `${outcomes.length} of ${plan.seeds} seeds, ${plan.ops} operations each, ${places[plan.on]}: digest ${digest}`,
    `${coverage.size} pairs of step and fault, the rarest ${leastHit(run)} times`
  ]
  if (story !== null) return [scenarioText(story), "", `Repeat this run: ${rerunCommand(story, run)}`].join("\n")
  if (run.thin.length > 0)
    return [...facts, "These faults hit their steps less often than a run of this length requires:", ...run.thin].join(
      "\n"
    )
  return [...facts, "No invariant was violated."].join("\n")
}

const failureOf = (run: Campaign, story: ShrunkScenario) => ({
  seed: story.result.seed,
  ...story.result.violation,
  ops: story.ops,
  faults: Object.fromEntries(story.result.faults.happened),
  story: scenarioLines(story),
  again: rerunCommand(story, run)
})

/** The result of a campaign as a JSON document. */
export const campaignDocument = (run: Campaign, story: ShrunkScenario | null): Readonly<Record<string, unknown>> => {
  const { coverage, digest, failed, outcomes, plan, thin } = run
  return {
    seeds: plan.seeds,
    ops: plan.ops,
    seed: plan.seed,
    on: plan.on,
    done: outcomes.length,
    steps: totalSteps(run),
    digest,
    coverage: Object.fromEntries(coverage),
    thin,
    violation: failed?.violation == null ? null : { seed: failed.seed, ...failed.violation },
    failure: story === null ? null : failureOf(run, story)
  }
}
