import { type Html, html } from "../../facade/docs/Html.ts"
import type { Result } from "../engine/Simulation.ts"
import type { Coverage } from "../run/Coverage.ts"
import type { Story } from "../shrink/Shrink.ts"
import { wordsOfStory } from "../shrink/Words.ts"
import { matrix } from "./Matrix.ts"
import { style } from "./Style.ts"
import { timeline } from "./Timeline.ts"

/** All that a report shows. */
export interface Report {
  readonly facts: Readonly<Record<string, string>>
  readonly coverage: Coverage
  /** The run whose course is drawn: that of the failure, or else the first. */
  readonly shown: Result
  readonly story: Story | null
}

const facts = (all: Report["facts"]): Html =>
  html`<dl>${Object.entries(all).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`

const failure = (story: Story | null): Html =>
  story === null ? html`<p>No law was broken.</p>` : html`<pre>${wordsOfStory(story)}</pre>`

/** A page that needs nothing but itself. */
export const pageOf = ({ coverage, facts: known, shown, story }: Report): string =>
  `<!doctype html>\n${
    html`<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Saldo, simulated</title>
<style>${{ markup: style }}</style>
<h1>Saldo, simulated</h1>
<p>One seed decides the clock, the order of everything that happens at once, what is asked for, and what goes wrong. The
workflows are those of production. After every step the laws are looked at; at the end everything has to come to rest.</p>
${facts(known)}
<h2>Failure</h2>
${failure(story)}
<h2>The course of seed ${shown.seed}</h2>
<p>Time is not to scale: each thing that happened has the same room.</p>
${timeline(shown)}
<h2>Coverage: each fault at each step</h2>
<p>A number is how often the fault was there; a hatched cell cannot be, and says why.</p>
${matrix(coverage)}
</html>`.markup
  }\n`
