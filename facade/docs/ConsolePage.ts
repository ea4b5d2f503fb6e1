import { Redacted } from "effect"
import { consolePath, documentPath } from "../call/DocsPaths.ts"
import type { HttpOptionsShape } from "../call/HttpOptions.ts"
import type { Assets } from "./Assets.ts"
import { html } from "./Html.ts"
import { documentOf, type Page, policyOf } from "./Page.ts"

// Scalar writes style elements and attributes as it runs; no nonce can allow the latter. Its scripts need no exception.
const policy = policyOf({
  "script-src": "'self'",
  "style-src": "'self' 'unsafe-inline'",
  "img-src": "'self' data:",
  "connect-src": "'self'",
  // A receipt that was tried out is shown in a frame.
  "frame-src": "blob:"
})

const credentialsOf = ({ sandbox }: HttpOptionsShape) =>
  sandbox === null
    ? html``
    : html` data-api-key="${sandbox.apiKey}" data-api-secret="${Redacted.value(sandbox.secret)}"`

/** The console that tries the API out, with the credentials of the sandbox when there is one. */
export const consolePage = (assets: Assets, options: HttpOptionsShape): Page => ({
  path: consolePath,
  policy,
  document: documentOf(assets, {
    title: "Saldo: documentación",
    body: html`<div id="console" data-document="${documentPath}"${credentialsOf(options)}></div>
<noscript>La consola necesita JavaScript. El documento OpenAPI está en <a href="${documentPath}">${documentPath}</a>.</noscript>
<script src="${assets.scalar.path}"></script>
<script type="module" src="${assets.console.path}"></script>`
  })
})
