import type { Story } from "../shrink/Shrink.ts"
import { linesOf, wordsOfStory } from "../shrink/Words.ts"
import type { Campaign } from "./Campaign.ts"
import { thin } from "./Coverage.ts"

const leastHit = ({ coverage }: Campaign): number => Math.min(...coverage.values())

/** How the same run is made again. */
const againBy = (story: Story, { plan }: Campaign): string =>
  `npm run simulate -- --seed ${story.result.seed} --seeds 1 --ops ${plan.ops}`

/** What a campaign came to, for a person. */
export const inWords = (run: Campaign, story: Story | null): string => {
  const { coverage, digest, outcomes, plan } = run
  const facts = [
    `${outcomes.length} of ${plan.seeds} seeds, ${plan.ops} operations each: trace ${digest}`,
    `${coverage.size} cells of step and fault, the rarest ${leastHit(run)} times`
  ]
  if (story !== null) return [wordsOfStory(story), "", `Again, to the letter: ${againBy(story, run)}`].join("\n")
  if (run.isThin) return [...facts, "Too seldom for a run of this length:", ...thin(coverage)].join("\n")
  return [...facts, "No law was broken."].join("\n")
}

/** The same as one document. */
export const asDocument = (run: Campaign, story: Story | null): Readonly<Record<string, unknown>> => ({
  ...run.plan,
  done: run.outcomes.length,
  digest: run.digest,
  coverage: Object.fromEntries(run.coverage),
  thin: run.isThin ? thin(run.coverage) : [],
  failure:
    story === null
      ? null
      : {
          seed: story.result.seed,
          ...story.result.violation,
          ops: story.ops,
          mishaps: Object.fromEntries(story.result.mishaps.happened),
          story: linesOf(story),
          again: againBy(story, run)
        }
})
