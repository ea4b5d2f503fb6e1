import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { logDefect } from "../../core/workflows/InFlight.ts"
import { sessionOf } from "../../core/workflows/SignIn.ts"
import { layerServer } from "../http/Connections.ts"
import { createNodeServer } from "../http/NodeServer.ts"
import { addressOf, headerOf, targetOf } from "../http/Request.ts"
import { cannotListen, localUrl } from "../settings/ListenAddress.ts"
import { Settings } from "../settings/Settings.ts"
import type { OperatorSession } from "./api/Procedure.ts"
import { originOf, securityHeaders, sessionTokenIn } from "./Browser.ts"
import { type Asset, type Bundle, PageFiles } from "./Bundle.ts"
import { type ConsoleCall, callProcedure } from "./ConsoleCalls.ts"
import { exportsPath, sendExport } from "./Exports.ts"
import { serveOidc } from "./Oidc.ts"
import { plainPage, shellPage } from "./Pages.ts"
import { oidcPaths, pageAt, proceduresPath, useHeader } from "./Paths.ts"

/** The address of a console that listens, and the preparation of its pages. */
export class ConsoleAddress extends Context.Service<
  ConsoleAddress,
  {
    readonly url: string
    /** Makes the files of the pages, so that the first visitor does not wait for them. */
    readonly prepare: Effect.Effect<void>
  }
>()("saldo/facade/ConsoleAddress") {}

type ConsoleSettings = NonNullable<Settings["Service"]["console"]>

type Request = HttpServerRequest.HttpServerRequest

const htmlPage = (status: number, markup: string) =>
  HttpServerResponse.text(markup, { status, contentType: "text/html; charset=utf-8" })

const unknownPage = htmlPage(404, plainPage("Esta página no existe."))

const wrongMethod = (allowed: string) =>
  HttpServerResponse.setHeader(htmlPage(405, plainPage("Esta dirección no acepta este método.")), "allow", allowed)

const foreignHost = htmlPage(
  421,
  plainPage("La consola no atiende este nombre de servidor. Use localhost, o ponga el nombre en CONSOLE_URL.")
)

const failedPage = htmlPage(500, plainPage("Error interno. Revise el registro del proceso de la consola."))

const isRead = ({ method }: Request) => method === "GET" || method === "HEAD"

const respondAsset = ({ bytes, compressed, contentType }: Asset, request: Request) => {
  const zipped = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "")
  return HttpServerResponse.uint8Array(zipped ? compressed : bytes, {
    contentType,
    headers: {
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(zipped && { "content-encoding": "gzip" })
    }
  })
}

/** Serves the page and its files, which are the same for all callers. Responds 404 for any other path. */
const serveFiles = (request: Request, path: string, files: Effect.Effect<Bundle>) =>
  Effect.gen(function* () {
    const isPage = pageAt(path) !== undefined
    if (!isPage && !path.startsWith("/archivos/")) return unknownPage
    if (!isRead(request)) return wrongMethod("GET, HEAD")
    const made = yield* files
    if (isPage) return htmlPage(200, shellPage(made))
    const asset = Object.values(made).find((each) => each.path === path)
    return asset === undefined ? unknownPage : respondAsset(asset, request)
  })

/**
 * The session that the request's cookie identifies. Null if there is none. Requests that a page makes without an action
 * of the operator do not prolong the session.
 */
const callerSession = Effect.fnUntraced(function* (request: Request, origin: string, address: string) {
  const token = sessionTokenIn(headerOf(request, "cookie"), origin)
  if (token === undefined) return null
  const isUse = headerOf(request, useHeader) !== undefined
  return yield* sessionOf(Redacted.value(token), address, isUse).pipe(
    Effect.map(({ actor, csrf, isFresh }): OperatorSession => ({ token, actor, csrf, isFresh })),
    Effect.catchTag("SignedOut", () => Effect.succeed(null))
  )
})

const serveOf = ({ url: publicUrl }: ConsoleSettings, files: Effect.Effect<Bundle>) =>
  Effect.fnUntraced(function* (request: Request, origin: string) {
    const url = targetOf(request)
    const isExport = url.pathname.startsWith(`${exportsPath}/`)
    const isCall = url.pathname.startsWith(`${proceduresPath}/`)
    const isOidc = Object.values(oidcPaths).includes(url.pathname)
    if (!isExport && !isCall && !isOidc) return yield* serveFiles(request, url.pathname, files)
    if ((isExport || isOidc) && request.method !== "GET") return wrongMethod("GET")
    if (!isRead(request) && request.method !== "POST") return wrongMethod("GET, HEAD, POST")
    // A request with a loopback name as its Host has not come through the proxy, so its X-Forwarded-For header may be
    // forged.
    const trustProxy = (yield* Settings).trustProxy && origin === publicUrl
    const forwardedFor = headerOf(request, "x-forwarded-for")
    const address = addressOf({ remoteAddress: request.remoteAddress, forwardedFor }, { trustProxy })
    if (isOidc) return yield* serveOidc({ url, origin, cookies: headerOf(request, "cookie"), address })
    const session = yield* callerSession(request, origin, address)
    const call: ConsoleCall = { request, url, origin, session, address }
    return yield* isExport ? sendExport(call) : callProcedure(call)
  })

const withSecurityHeaders = (response: HttpServerResponse.HttpServerResponse, origin: string | null) =>
  HttpServerResponse.setHeaders(response, {
    "cache-control": "no-store",
    ...securityHeaders(origin),
    ...response.headers
  })

const appOf = (settings: ConsoleSettings, files: Effect.Effect<Bundle>) => {
  const serve = serveOf(settings, files)
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const origin = originOf(headerOf(request, "host"), settings)
    if (origin === null) return withSecurityHeaders(foreignHost, null)
    const response = yield* Effect.catchCause(serve(request, origin), (cause) =>
      Effect.as(logDefect("a request to the console failed", cause), failedPage)
    )
    return withSecurityHeaders(response, origin)
  })
}

/** How long the console waits for open responses when it stops. */
const stop_max = Duration.seconds(2)

/** Time limits of requests. */
const request_ms_max = 30_000
const head_ms_max = 10_000

const listening = Effect.fnUntraced(function* (settings: ConsoleSettings) {
  const { host, port, url } = settings
  const files = yield* PageFiles
  return Layer.merge(
    Layer.effect(
      ConsoleAddress,
      HttpServer.HttpServer.useSync(({ address }) => ({
        url: url ?? localUrl("http", { host, port: "port" in address ? address.port : port }),
        prepare: Effect.asVoid(files)
      }))
    ),
    HttpServer.serve(appOf(settings, files))
  ).pipe(
    Layer.provide(
      layerServer(createNodeServer({ requestTimeout: request_ms_max, headersTimeout: head_ms_max }), {
        host,
        port,
        drain_max: stop_max,
        others_max: stop_max,
        mayStay: Effect.succeed(() => false)
      })
    ),
    Layer.catchTag("ServeError", ({ cause }) =>
      Layer.effect(ConsoleAddress, cannotListen(cause, settings, { host: "CONSOLE_HOST", port: "CONSOLE_PORT" }))
    )
  )
})

/** Serves the console with these settings. */
export const layer = (settings: ConsoleSettings) => Layer.unwrap(listening(settings))
