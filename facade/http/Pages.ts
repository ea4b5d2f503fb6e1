import { Effect, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { wouldAccept } from "../../core/workflows/Authenticate.ts"
import { type Call, HttpOptions, type HttpOptionsShape } from "../api/Call.ts"
import { consolePath, documentPath, httpFilePath, postmanPath } from "../api/Envelope.ts"
import { openApiDocument } from "../api/OpenApi.ts"
import { type Asset, type Assets, loadAssets } from "../docs/Assets.ts"
import { type Collection, httpFile, postmanCollection } from "../docs/Collections.ts"
import { guidePage } from "../docs/GuidePage.ts"
import { consolePage, errorPages, type Page } from "../docs/Pages.ts"
import { loadGuidePrograms, loadReceivers } from "../docs/Programs.ts"
import { webhookPage } from "../docs/WebhookPage.ts"
import { headerOf } from "./Request.ts"
import { etagOf, headersOf, isKnown, rateLimited, respond } from "./Response.ts"

const respondPage = (call: Call, { document, policy }: Page) =>
  HttpServerResponse.text(document.markup, {
    headers: headersOf(call, { "content-security-policy": policy, "referrer-policy": "no-referrer" }),
    contentType: "text/html; charset=utf-8"
  })

const servePage = (page: Page) => rateLimited((call) => Effect.succeed(respondPage(call, page)))

// Another process with another SANDBOX or SANDBOX_API_SECRET on the same database can make the credentials of this
// process invalid. They are checked at each request, so that only credentials that work are shown.
const shownSandbox = Effect.fnUntraced(function* ({ sandbox }: HttpOptionsShape, call: Call) {
  if (sandbox === null) return null
  const credentials = { apiKey: sandbox.apiKey, secret: Redacted.value(sandbox.secret) }
  return (yield* wouldAccept(credentials, call.address)) ? sandbox : "closed"
})

const serveConsole = (assets: Assets, options: HttpOptionsShape) =>
  rateLimited((call) =>
    Effect.map(shownSandbox(options, call), (sandbox) => respondPage(call, consolePage(assets, sandbox)))
  )

/** Serves a file of example requests for download. */
const serveCollection = (options: HttpOptionsShape, name: string, contentType: string, collection: Collection) =>
  rateLimited((call) =>
    Effect.map(shownSandbox(options, call), (shown) => {
      const headers = headersOf(call, { "content-disposition": `attachment; filename="${name}"` })
      const text = collection({ baseUrl: call.baseUrl(), sandbox: shown === "closed" ? null : shown })
      return HttpServerResponse.text(text, { headers, contentType })
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
  const document = openApiDocument(options)
  const documentText = JSON.stringify(document)
  const pages = [
    ...errorPages(assets),
    guidePage(assets, yield* loadGuidePrograms),
    webhookPage(assets, yield* loadReceivers, options.publicUrl)
  ]
  return [
    { path: documentPath, handler: serveDocument(documentText, yield* etagOf(documentText)) },
    { path: consolePath, handler: serveConsole(assets, options) },
    {
      path: postmanPath,
      handler: serveCollection(
        options,
        "saldo.postman_collection.json",
        "application/json",
        postmanCollection(document)
      )
    },
    {
      path: httpFilePath,
      handler: serveCollection(options, "saldo.http", "text/plain; charset=utf-8", httpFile(document))
    },
    ...pages.map((page) => ({ path: page.path, handler: servePage(page) })),
    ...Object.values(assets).map((asset) => ({ path: asset.path, handler: serveAsset(asset) }))
  ] as const
})
