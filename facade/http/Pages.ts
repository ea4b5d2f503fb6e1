import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpOptions } from "../api/Call.ts"
import { documentPath } from "../api/Envelope.ts"
import { openApiDocument } from "../api/OpenApi.ts"
import { type Asset, loadAssets } from "../docs/Assets.ts"
import { type Page, pagesOf } from "../docs/Pages.ts"
import { headerOf } from "./Request.ts"
import { etagOf, headersOf, isKnown, rateLimited, respond } from "./Response.ts"

const servePage = ({ document, policy }: Page) =>
  rateLimited((call) => {
    const headers = headersOf(call, { "content-security-policy": policy, "referrer-policy": "no-referrer" })
    return Effect.succeed(
      HttpServerResponse.text(document.markup, { headers, contentType: "text/html; charset=utf-8" })
    )
  })

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
    ...pagesOf(assets, options).map((page) => ({ path: page.path, handler: servePage(page) })),
    ...Object.values(assets).map((asset) => ({ path: asset.path, handler: serveAsset(asset) }))
  ] as const
})
