import { STATUS_CODES } from "node:http"
import { Redacted, Struct } from "effect"
import type { PublicError } from "../../core/domain/ErrorCatalogue.ts"
import { bodyStatuses, codes, type ErrorCode } from "../../core/domain/ErrorCodes.ts"
import type { HttpOptionsShape } from "../api/Call.ts"
import {
  consolePath,
  documentPath,
  errorPath,
  errorsPath,
  failureBody,
  failureHeaders,
  guidePath,
  headTooLarge,
  requestTooSlow,
  serverBusy,
  webhooksPath
} from "../api/Envelope.ts"
import { errorExamples, exampleRequestId } from "../api/ErrorExamples.ts"
import type { Assets } from "./Assets.ts"
import { errorTexts } from "./ErrorTexts.ts"
import { type Html, html } from "./Html.ts"

/** A page of the documentation. */
export interface Page {
  readonly path: `/${string}`
  /** The Content-Security-Policy of the page. */
  readonly policy: string
  readonly document: Html
}

const allowNothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A Content-Security-Policy that allows only these sources. */
const policyOf = (allowed: Readonly<Record<string, string>>): string =>
  [allowNothing, ...Object.entries(allowed).map(([directive, sources]) => `${directive} ${sources}`)].join("; ")

interface Parts {
  readonly title: string
  readonly head?: Html
  readonly body: Html
}

/** The HTML document around the body of a page. */
const documentOf = ({ icon }: Assets, { body, head = html``, title }: Parts): Html => html`<!doctype html>
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

// Scalar adds style elements and style attributes at run time. Inline styles are allowed, because a nonce cannot allow
// style attributes. Scalar's scripts need no exception.
const consolePolicy = policyOf({
  "script-src": "'self'",
  "style-src": "'self' 'unsafe-inline'",
  "img-src": "'self' data:",
  "connect-src": "'self'",
  // Allows a frame, because the console shows a PDF response in one.
  "frame-src": "blob:"
})

/**
 * The sandbox as the console shows it: its credentials, `closed` if the credentials are refused now, or null without a
 * sandbox.
 */
export type ShownSandbox = HttpOptionsShape["sandbox"] | "closed"

const credentialsOf = (sandbox: ShownSandbox) =>
  sandbox === null || sandbox === "closed"
    ? html``
    : html` data-api-key="${sandbox.apiKey}" data-api-secret="${Redacted.value(sandbox.secret)}"`

const closedNotice = html`<p role="status" style="margin:0;padding:1rem;font-family:sans-serif;background:#fff3cd;color:#3d2f00">Las credenciales públicas de prueba no están activas en este momento. Para probar las operaciones, use las que le entregó su operador.</p>
`

/** The console for trying the API. */
export const consolePage = (assets: Assets, sandbox: ShownSandbox): Page => ({
  path: consolePath,
  policy: consolePolicy,
  document: documentOf(assets, {
    title: "Saldo: documentación",
    body: html`${sandbox === "closed" ? closedNotice : html``}<div id="console" data-document="${documentPath}"${credentialsOf(sandbox)}></div>
<noscript>La consola necesita JavaScript. El documento OpenAPI está en <a href="${documentPath}">${documentPath}</a>, la guía en <a href="${guidePath}">${guidePath}</a>, la de webhooks en <a href="${webhooksPath}">${webhooksPath}</a>.</noscript>
<script src="${assets.scalar.path}"></script>
<script type="module" src="${assets.console.path}"></script>`
  })
})

/** The HTTP statuses that a code can have in addition to its main status. */
const otherStatuses: Partial<Record<ErrorCode, ReadonlyArray<number>>> = {
  VALIDATION_ERROR: [requestTooSlow.status, ...bodyStatuses, headTooLarge.status],
  SERVICE_UNAVAILABLE: [serverBusy.status]
}

/** All HTTP statuses of a code, the main status first. Contract: 7. */
const statusesOf = (code: ErrorCode): ReadonlyArray<number> => [codes[code].status, ...(otherStatuses[code] ?? [])]

const textPolicy = policyOf({ "style-src": "'self'", "img-src": "'self'" })

const everyCode = Struct.keys(codes)

/** A page of text, without scripts. */
export const textPage = (assets: Assets, path: Page["path"], title: string, content: Html): Page => ({
  path,
  policy: textPolicy,
  document: documentOf(assets, {
    title: `${title} · Saldo`,
    head: html`<link rel="stylesheet" href="${assets.style.path}">`,
    body: html`<header><img src="${assets.icon.path}" alt="" width="28" height="28"><nav aria-label="Documentación"><a href="${consolePath}">Documentación</a><a href="${guidePath}">Guía</a><a href="${webhooksPath}">Webhooks</a><a href="${errorsPath}">Errores</a></nav></header>
<main>
${content}
</main>`
  })
})

// A status with its reason phrase, which HTTP defines in English.
const phraseOf = (status: number): Html => html`${status} <span lang="en">${STATUS_CODES[status] ?? ""}</span>`

/** An error response as the server sends it, except that its body is indented. */
const responseOf = (error: PublicError): Html => {
  const headers = Object.entries({ "content-type": "application/json", ...failureHeaders(error) })
  const rest = [
    ...headers.map(([name, value]) => `${name}: ${value}`),
    "",
    JSON.stringify(JSON.parse(failureBody(error, exampleRequestId)), null, 2)
  ].join("\n")
  return html`<pre tabindex="0" role="region" aria-label="Ejemplo: ${error.message}"><code>HTTP/1.1 ${phraseOf(error.status)}
${rest}</code></pre>`
}

/** The messages of a code: first the message for a sale, then the messages of other causes. */
const messagesOf = (code: ErrorCode): ReadonlyArray<string> => {
  const [, ...others] = errorExamples[code]
  return [codes[code].message, ...others.map(({ message }) => message)]
}

const separated = (parts: ReadonlyArray<Html>): ReadonlyArray<Html> =>
  parts.map((part, index) => (index === 0 ? part : html`, ${part}`))

const errorPage = (assets: Assets, code: ErrorCode): Page => {
  const { action, again, meaning, money } = errorTexts[code]
  return textPage(
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
${errorExamples[code].map(responseOf)}`
  )
}

const listPage = (assets: Assets): Page =>
  textPage(
    assets,
    errorsPath,
    "Errores",
    html`<h1>Errores</h1>
<p class="lead">Decida por el estado HTTP y por error.code, nunca por el texto del mensaje. Cada respuesta de error enlaza su página en la cabecera Link.</p>
<ul class="codes">
${everyCode.map(
  (code) =>
    html`<li><a href="${errorPath(code)}"><code>${code}</code></a> <span class="status">HTTP ${statusesOf(code).join(", ")}</span>${messagesOf(code).map((message) => html`<p>${message}</p>`)}</li>`
)}
</ul>`
  )

/** The page that lists all error codes, and one page for each code. */
export const errorPages = (assets: Assets): ReadonlyArray<Page> => [
  listPage(assets),
  ...everyCode.map((code) => errorPage(assets, code))
]
