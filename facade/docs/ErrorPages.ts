import { STATUS_CODES } from "node:http"
import { Struct } from "effect"
import type { PublicError } from "../../core/domain/ErrorCatalogue.ts"
import { codes, type ErrorCode } from "../../core/domain/ErrorCodes.ts"
import { failureBody, failureHeaders } from "../call/Answer.ts"
import { consolePath, errorPath, errorsPath } from "../call/DocsPaths.ts"
import { errorExamples, exampleRequestId } from "../rest/ErrorExamples.ts"
import type { Assets } from "./Assets.ts"
import { statusesOf } from "./ErrorStatuses.ts"
import { errorTexts } from "./ErrorTexts.ts"
import { type Html, html } from "./Html.ts"
import { documentOf, type Page, policyOf } from "./Page.ts"

const policy = policyOf({ "style-src": "'self'", "img-src": "'self'" })

const every = Struct.keys(codes)

const page = (assets: Assets, path: Page["path"], title: string, content: Html): Page => ({
  path,
  policy,
  document: documentOf(assets, {
    title: `${title} · Saldo`,
    head: html`<link rel="stylesheet" href="${assets.style.path}">`,
    body: html`<header><img src="${assets.icon.path}" alt="" width="28" height="28"><nav aria-label="Documentación"><a href="${consolePath}">Documentación</a><a href="${errorsPath}">Errores</a></nav></header>
<main>
${content}
</main>`
  })
})

// The words of HTTP are English.
const phraseOf = (status: number): Html => html`${status} <span lang="en">${STATUS_CODES[status] ?? ""}</span>`

/** An answer as it comes over the wire, its body indented. */
const answerOf = (error: PublicError): Html => {
  const headers = Object.entries({ "content-type": "application/json", ...failureHeaders(error) })
  const rest = [
    ...headers.map(([name, value]) => `${name}: ${value}`),
    "",
    JSON.stringify(JSON.parse(failureBody(error, exampleRequestId)), null, 2)
  ].join("\n")
  return html`<pre tabindex="0" role="region" aria-label="Ejemplo: ${error.message}"><code>HTTP/1.1 ${phraseOf(error.status)}
${rest}</code></pre>`
}

/** What a person reads of a code: of a sale, and of what else has words of its own. */
const messagesOf = (code: ErrorCode): ReadonlyArray<string> => {
  const [, ...others] = errorExamples[code]
  return [codes[code].message, ...others.map(({ message }) => message)]
}

const separated = (parts: ReadonlyArray<Html>): ReadonlyArray<Html> =>
  parts.map((part, index) => (index === 0 ? part : html`, ${part}`))

const errorPage = (assets: Assets, code: ErrorCode): Page => {
  const { action, again, meaning, money } = errorTexts[code]
  return page(
    assets,
    errorPath(code),
    code,
    html`<h1><code>${code}</code></h1>
${messagesOf(code).map((message) => html`<p class="lead">${message}</p>`)}
<p>${meaning}</p>
<dl>
<div><dt>Estado HTTP</dt><dd>${separated(statusesOf(code).map(phraseOf))}</dd></div>
<div><dt>El dinero</dt><dd>${money}</dd></div>
<div><dt>¿Se puede repetir?</dt><dd>${again}</dd></div>
</dl>
<h2>Qué hacer</h2>
<ol>
${action.map((step) => html`<li>${step}</li>`)}
</ol>
<h2>Ejemplo de respuesta</h2>
${errorExamples[code].map(answerOf)}`
  )
}

const listPage = (assets: Assets): Page =>
  page(
    assets,
    errorsPath,
    "Errores",
    html`<h1>Errores</h1>
<p class="lead">Decida por el estado HTTP y por error.code, nunca por el texto del mensaje. Cada respuesta de error enlaza su página en la cabecera Link.</p>
<ul class="codes">
${every.map(
  (code) =>
    html`<li><a href="${errorPath(code)}"><code>${code}</code></a> <span class="status">HTTP ${statusesOf(code).join(", ")}</span>${messagesOf(code).map((message) => html`<p>${message}</p>`)}</li>`
)}
</ul>`
  )

/** A page for each code, and one that lists them. */
export const errorPages = (assets: Assets): ReadonlyArray<Page> => [
  listPage(assets),
  ...every.map((code) => errorPage(assets, code))
]
