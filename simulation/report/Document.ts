import { type Html, html } from "../../facade/docs/Html.ts"
import { style } from "./Style.ts"

/** A self-contained HTML page: it loads no other file. */
export const documentOf = (title: string, content: Html): string =>
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
