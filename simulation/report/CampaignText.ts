import type { Campaign } from "../run/Campaign.ts"
import type { Story } from "../shrink/Shrink.ts"
import { linesOf, wordsOfStory } from "../shrink/Words.ts"

const places = { memory: "in memory", sql: "on the SQL functions" } as const

const leastHit = ({ coverage }: Campaign): number => Math.min(...coverage.values())

/** Number of events in all runs together. */
export const stepsOf = ({ outcomes }: Campaign): number => outcomes.reduce((sum, { steps }) => sum + steps, 0)

/** The command that repeats the run. */
const againBy = (story: Story, { plan }: Campaign): string =>
  `npm run simulate -- --seed ${story.result.seed} --seeds 1 --ops ${plan.ops} --on ${plan.on}`

/** The result of a campaign as text. */
export const inWords = (run: Campaign, story: Story | null): string => {
  const { coverage, digest, outcomes, plan } = run
  const facts = [
    `${outcomes.length} of ${plan.seeds} seeds, ${plan.ops} operations each, ${places[plan.on]}: digest ${digest}`,
    `${coverage.size} cells of step and fault, the rarest ${leastHit(run)} times`
  ]
  if (story !== null) return [wordsOfStory(story), "", `Again, to the letter: ${againBy(story, run)}`].join("\n")
  if (run.thin.length > 0) return [...facts, "Too seldom for a run of this length:", ...run.thin].join("\n")
  return [...facts, "No law was broken."].join("\n")
}

const failureOf = (run: Campaign, story: Story) => ({
  seed: story.result.seed,
  ...story.result.violation,
  ops: story.ops,
  mishaps: Object.fromEntries(story.result.mishaps.happened),
  story: linesOf(story),
  again: againBy(story, run)
})

/** The result of a campaign as a JSON document. */
export const asDocument = (run: Campaign, story: Story | null): Readonly<Record<string, unknown>> => {
  const { coverage, digest, failed, outcomes, plan, thin } = run
  return {
    seeds: plan.seeds,
    ops: plan.ops,
    seed: plan.seed,
    on: plan.on,
    done: outcomes.length,
    steps: stepsOf(run),
    digest,
    coverage: Object.fromEntries(coverage),
    thin,
    violation: failed?.violation == null ? null : { seed: failed.seed, ...failed.violation },
    failure: story === null ? null : failureOf(run, story)
  }
}
