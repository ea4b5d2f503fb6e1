import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { headersOf } from "../call/Answer.ts"
import { HttpOptions } from "../call/HttpOptions.ts"
import { rateLimited } from "../call/RateLimited.ts"
import { type Asset, loadAssets } from "./Assets.ts"
import { consolePage } from "./ConsolePage.ts"
import { errorPages } from "./ErrorPages.ts"
import type { Page } from "./Page.ts"

const servePage = ({ document, policy }: Page) =>
  rateLimited((call) =>
    Effect.map(headersOf(call, { "content-security-policy": policy, "referrer-policy": "no-referrer" }), (headers) =>
      HttpServerResponse.text(document.markup, { headers, contentType: "text/html; charset=utf-8" })
    )
  )

const takesGzip = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  /\bgzip\b(?! *; *q=0(?:\.0*)?(?:,|$))/.test(headers["accept-encoding"] ?? "")

const serveAsset = ({ bytes, compressed, contentType }: Asset) =>
  rateLimited(
    Effect.fnUntraced(function* (call) {
      const zipped = takesGzip(yield* HttpServerRequest.HttpServerRequest)
      const headers = yield* headersOf(call, {
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
        ...(zipped && { "content-encoding": "gzip" })
      })
      return HttpServerResponse.uint8Array(zipped ? yield* compressed : bytes, { headers, contentType })
    }),
    "assets"
  )

/** The console, the pages of the errors, and the files that these load. */
export const docs = Effect.gen(function* () {
  const assets = yield* loadAssets
  const pages = [consolePage(assets, yield* HttpOptions), ...errorPages(assets)]
  return [
    ...pages.map((page) => ({ path: page.path, handler: servePage(page) })),
    ...Object.values(assets).map((asset) => ({ path: asset.path, handler: serveAsset(asset) }))
  ]
})
