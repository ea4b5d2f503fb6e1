import { type Html, html } from "../../facade/docs/Html.ts"
import type { Result } from "../course/Simulation.ts"
import type { Backend } from "../faults/Cell.ts"
import type { Coverage } from "../run/Coverage.ts"
import type { Story } from "../shrink/Shrink.ts"
import { wordsOfStory } from "../shrink/Words.ts"
import { documentOf, factsAsHtml } from "./Document.ts"
import { matrix } from "./Matrix.ts"
import { timeline } from "./Timeline.ts"

/** The content of a campaign's HTML report. */
export interface Report {
  readonly facts: Readonly<Record<string, string>>
  readonly on: Backend
  readonly coverage: Coverage
  /** The run that the timeline shows: the failure, otherwise the first run. */
  readonly shown: Result
  readonly story: Story | null
}

const failure = (story: Story | null): Html =>
  story === null ? html`<p>No law was broken.</p>` : html`<pre>${wordsOfStory(story)}</pre>`

export const pageOf = ({ coverage, facts, on, shown, story }: Report): string =>
  documentOf(
    "Saldo, simulated",
    html`<p>One seed decides the clock, the order of everything that happens at once, what is asked for, and what goes wrong. The
workflows are those of production. After every step the laws are looked at; at the end everything has to come to rest.</p>
${factsAsHtml(facts)}
<h2>Failure</h2>
${failure(story)}
<h2>The course of seed ${shown.seed}</h2>
<p>Time is not to scale: each thing that happened has the same room.</p>
${timeline(shown)}
<h2>Coverage: each fault at each step</h2>
<p>A number is how often the fault was there; a hatched cell cannot be, and says why.</p>
${matrix(on, coverage)}`
  )
