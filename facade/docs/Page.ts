import type { Assets } from "./Assets.ts"
import { type Html, html } from "./Html.ts"

/** A page of the documentation. */
export interface Page {
  readonly path: `/${string}`
  /** What its browser may load. */
  readonly policy: string
  readonly document: Html
}

const nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A policy that allows nothing but these. */
export const policyOf = (allowed: Readonly<Record<string, string>>): string =>
  [nothing, ...Object.entries(allowed).map(([directive, sources]) => `${directive} ${sources}`)].join("; ")

interface Parts {
  readonly title: string
  readonly head?: Html
  readonly body: Html
}

/** The document around what a page shows. */
export const documentOf = ({ icon }: Assets, { body, head = html``, title }: Parts): Html => html`<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${icon.path}" type="image/svg+xml">
${head}
</head>
<body>
${body}
</body>
</html>
`
