import { type Html, html } from "../../../facade/docs/Html.ts"

const style = `
  :root { color-scheme: light dark; --ink: #1c2430; --paper: #fbfbf9; --faint: #78818f; --rule: #dde0e4;
    --available: #12796b; --held: #d9a441; --bad: #c2452d; --fault: #6b5bb5; --cell: 18, 121, 107 }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --paper: #16191d; --faint: #98a1ad; --rule: #30363d;
    --available: #35b19e; --held: #e3b95c; --bad: #e8735b; --fault: #a193e6; --cell: 53, 177, 158 } }
  body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 80rem;
    margin: 3rem auto; padding: 0 1.5rem }
  h1 { font-size: 1.7rem; margin-bottom: .3rem } h2 { margin-top: 3rem; font-size: 1.2rem } p { max-width: 46rem }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; color: var(--faint); font-size: .9rem }
  dd { margin: 0 } figure { margin: 1.2rem 0 } figcaption { font-size: .9rem; color: var(--faint) }
  svg { display: block; width: 100% } svg text { font-size: 11px; fill: var(--faint) }
  .available { fill: var(--available) } .held { fill: var(--held) } .tick { stroke: var(--fault); stroke-width: 1.5 }
  .lane { stroke: var(--rule) } .day { stroke: var(--rule); stroke-dasharray: 2 3 } .invariant { stroke: var(--available) }
  .alive { stroke: var(--available); stroke-width: 4 } .broken { fill: var(--bad); stroke: var(--bad) }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .8rem }
  th, td { padding: .2rem .4rem; border: 1px solid var(--rule); text-align: right } th { font-weight: 500 }
  td:first-child, th:first-child, td.words { text-align: left; white-space: nowrap } td.words { white-space: normal }
  .matrix th { vertical-align: bottom; writing-mode: vertical-rl; transform: rotate(180deg); text-align: left }
  .matrix th:first-child { writing-mode: initial; transform: none }
  .never { color: var(--faint); background: repeating-linear-gradient(45deg, transparent 0 4px, var(--rule) 4px 5px) }
  .thin, .survived { background: var(--bad); color: var(--paper) }
  pre { overflow-x: auto; font: 12px/1.45 ui-monospace, monospace; border: 1px solid var(--rule); padding: 1rem }
  .scroll { overflow-x: auto }
`

/** A self-contained HTML page: it loads no other file. */
export const htmlDocument = (title: string, content: Html): string =>
  `<!doctype html>\n${
    html`<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${{ markup: style }}</style>
<h1>${title}</h1>
${content}
</html>`.markup
  }\n`

/** The parameters of a run as an HTML list. */
export const factsAsHtml = (facts: Readonly<Record<string, string>>): Html =>
  html`<dl>${Object.entries(facts).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
