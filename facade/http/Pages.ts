import { Effect, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { wouldAccept } from "../../core/workflows/Authenticate.ts"
import { type Call, HttpOptions, type HttpOptionsShape } from "../api/Call.ts"
import { consolePath, documentPath } from "../api/Envelope.ts"
import { openApiDocument } from "../api/OpenApi.ts"
import { type Asset, type Assets, loadAssets } from "../docs/Assets.ts"
import { consolePage, errorPages, type Page } from "../docs/Pages.ts"
import { headerOf } from "./Request.ts"
import { etagOf, headersOf, isKnown, rateLimited, respond } from "./Response.ts"

const respondPage = (call: Call, { document, policy }: Page) =>
  HttpServerResponse.text(document.markup, {
    headers: headersOf(call, { "content-security-policy": policy, "referrer-policy": "no-referrer" }),
    contentType: "text/html; charset=utf-8"
  })

const servePage = (page: Page) => rateLimited((call) => Effect.succeed(respondPage(call, page)))

// Another process with another SANDBOX or SANDBOX_API_SECRET on the same database can make the credentials of this
// process invalid. They are checked at each request, so that the page shows only credentials that work.
const serveConsole = (assets: Assets, { sandbox }: HttpOptionsShape) =>
  rateLimited(
    Effect.fnUntraced(function* (call: Call) {
      if (sandbox === null) return respondPage(call, consolePage(assets, null))
      const credentials = { apiKey: sandbox.apiKey, secret: Redacted.value(sandbox.secret) }
      const isOpen = yield* wouldAccept(credentials, call.address)
      return respondPage(call, consolePage(assets, isOpen ? sandbox : "closed"))
    })
  )

const acceptsGzip = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  /\bgzip\b(?! *; *q=0(?:\.0*)?(?:,|$))/.test(headers["accept-encoding"] ?? "")

const serveAsset = ({ bytes, compressed, contentType }: Asset) =>
  rateLimited(
    Effect.fnUntraced(function* (call) {
      const zipped = acceptsGzip(yield* HttpServerRequest.HttpServerRequest)
      const headers = headersOf(call, {
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
        ...(zipped && { "content-encoding": "gzip" })
      })
      return HttpServerResponse.uint8Array(zipped ? yield* compressed : bytes, { headers, contentType })
    }),
    "assets"
  )

const serveDocument = (document: string, etag: string) =>
  rateLimited(
    Effect.fnUntraced(function* (call) {
      const known = isKnown(headerOf(yield* HttpServerRequest.HttpServerRequest, "if-none-match"), etag)
      return respond(call, known ? 304 : 200, known ? undefined : document, { etag, "cache-control": "no-cache" })
    })
  )

/** The routes of the documentation: the OpenAPI document, the pages, and the files that the pages load. */
export const documentation = Effect.gen(function* () {
  const options = yield* HttpOptions
  const assets = yield* loadAssets
  const document = JSON.stringify(openApiDocument(options))
  return [
    { path: documentPath, handler: serveDocument(document, yield* etagOf(document)) },
    { path: consolePath, handler: serveConsole(assets, options) },
    ...errorPages(assets).map((page) => ({ path: page.path, handler: servePage(page) })),
    ...Object.values(assets).map((asset) => ({ path: asset.path, handler: serveAsset(asset) }))
  ] as const
})
