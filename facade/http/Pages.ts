import { Effect, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { wouldAccept } from "../../core/workflows/Authenticate.ts"
import { type Call, HttpOptions, type HttpOptionsShape } from "../api/Call.ts"
import { consolePath, documentPath, httpFilePath, postmanPath } from "../api/Envelope.ts"
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
const serveCollection = <R>(
  options: HttpOptionsShape,
  name: string,
  contentType: string,
  collection: Effect.Effect<Collection, never, R>
) =>
  rateLimited(
    Effect.fnUntraced(function* (call) {
      const shown = yield* shownSandbox(options, call)
      const headers = headersOf(call, { "content-disposition": `attachment; filename="${name}"` })
      const text = (yield* collection)({ baseUrl: call.baseUrl(), sandbox: shown === "closed" ? null : shown })
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
      return HttpServerResponse.uint8Array(yield* zipped ? compressed : bytes, { headers, contentType })
    }),
    "assets"
  )

/** The OpenAPI document, and the files of example requests that are derived from it. */
const generate = (options: HttpOptionsShape) =>
  Effect.gen(function* () {
    const { openApiDocument } = yield* Effect.promise(() => import("../api/OpenApi.ts"))
    const document = openApiDocument(options)
    const text = JSON.stringify(document)
    return { text, etag: yield* etagOf(text), postman: postmanCollection(document), http: httpFile(document) }
  })

const serveDocument = (generated: ReturnType<typeof generate>) =>
  rateLimited(
    Effect.fnUntraced(function* (call) {
      const { etag, text } = yield* generated
      const known = isKnown(headerOf(yield* HttpServerRequest.HttpServerRequest, "if-none-match"), etag)
      return respond(call, known ? 304 : 200, known ? undefined : text, { etag, "cache-control": "no-cache" })
    })
  )

/** The routes of the documentation: the OpenAPI document, the pages, and the files that the pages load. */
export const documentation = Effect.gen(function* () {
  const options = yield* HttpOptions
  const assets = yield* loadAssets
  // The first request generates the document, because the generator loads 280 modules, which nothing else needs. A client
  // that closes its connection must not interrupt the generation, because the result is cached.
  const generated = yield* Effect.cached(Effect.uninterruptible(generate(options)))
  const pages = [
    ...errorPages(assets),
    guidePage(assets, yield* loadGuidePrograms),
    webhookPage(assets, yield* loadReceivers, options.publicUrl)
  ]
  return [
    { path: documentPath, handler: serveDocument(generated) },
    { path: consolePath, handler: serveConsole(assets, options) },
    {
      path: postmanPath,
      handler: serveCollection(
        options,
        "saldo.postman_collection.json",
        "application/json",
        Effect.map(generated, ({ postman }) => postman)
      )
    },
    {
      path: httpFilePath,
      handler: serveCollection(
        options,
        "saldo.http",
        "text/plain; charset=utf-8",
        Effect.map(generated, ({ http }) => http)
      )
    },
    ...pages.map((page) => ({ path: page.path, handler: servePage(page) })),
    ...Object.values(assets).map((asset) => ({ path: asset.path, handler: serveAsset(asset) }))
  ] as const
})
