import { STATUS_CODES } from "node:http"
import { Struct } from "effect"
import { codes, type ErrorCode } from "../../core/domain/ErrorCatalogue.ts"
import { failureBody, failureHeaders } from "../http/Answer.ts"
import { errorExamples, exampleRequestId } from "../rest/ErrorExamples.ts"
import type { Assets } from "./Assets.ts"
import { errorTexts } from "./ErrorTexts.ts"
import { type Html, html } from "./Html.ts"
import { documentOf, type Page, policyOf } from "./Page.ts"
import { consolePath, errorPath, errorsPath } from "./Paths.ts"

const policy = policyOf({ "style-src": "'self'", "img-src": "'self'" })

const every = Struct.keys(codes)

const page = (assets: Assets, path: Page["path"], title: string, content: Html): Page => ({
  path,
  policy,
  document: documentOf(assets, {
    title: `${title} · Saldo`,
    head: html`<link rel="stylesheet" href="${assets.style.path}">`,
    body: html`<header><img src="${assets.icon.path}" alt="" width="28" height="28"><a href="${consolePath}">Documentación</a><a href="${errorsPath}">Errores</a></header>
<main>
${content}
</main>`
  })
})

/** An answer with this code as it comes over the wire, its body indented. */
const answerOf = (code: ErrorCode): string => {
  const [error] = errorExamples[code]
  const headers = Object.entries({ "content-type": "application/json", ...failureHeaders(error) })
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    "",
    JSON.stringify(JSON.parse(failureBody(error, exampleRequestId)), null, 2)
  ].join("\n")
}

const errorPage = (assets: Assets, code: ErrorCode): Page => {
  const { message, status } = codes[code]
  const { action, again, meaning, money } = errorTexts[code]
  return page(
    assets,
    errorPath(code),
    code,
    html`<h1><code>${code}</code></h1>
<p class="lead">${message}</p>
<p>${meaning}</p>
<dl>
<div><dt>Estado HTTP</dt><dd>${status} ${STATUS_CODES[status] ?? ""}</dd></div>
<div><dt>El dinero</dt><dd>${money}</dd></div>
<div><dt>¿Se puede repetir?</dt><dd>${again}</dd></div>
</dl>
<h2>Qué hacer</h2>
<ol>
${action.map((step) => html`<li>${step}</li>`)}
</ol>
<h2>Ejemplo de respuesta</h2>
<pre tabindex="0"><code>${answerOf(code)}</code></pre>`
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
    html`<li><a href="${errorPath(code)}"><code>${code}</code></a> <span class="status">HTTP ${codes[code].status}</span><p>${codes[code].message}</p></li>`
)}
</ul>`
  )

/** A page for each code, and one that lists them. */
export const errorPages = (assets: Assets): ReadonlyArray<Page> => [
  listPage(assets),
  ...every.map((code) => errorPage(assets, code))
]
