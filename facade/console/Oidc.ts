import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { IdentityRefused } from "../../core/domain/SignInErrors.ts"
import { ConfiguredIdentityProvider } from "../../core/ports/IdentityProvider.ts"
import { signInWithOidc } from "../../core/workflows/AcceptInvitation.ts"
import { oidcCookie, oidcSecretsIn, sessionCookie } from "./Browser.ts"
import { enteredPage, plainPage } from "./Pages.ts"
import { oidcPaths } from "./Paths.ts"
import { refusalOf } from "./Refusals.ts"

/** A request of a browser that signs in at the identity provider. */
interface OidcRequest {
  readonly url: URL
  /** The origin of the console, as the browser reaches it. */
  readonly origin: string
  readonly cookies: string | undefined
  readonly address: string
}

const htmlPage = (status: number, markup: string) =>
  HttpServerResponse.text(markup, { status, contentType: "text/html; charset=utf-8" })

const begin = Effect.fnUntraced(function* ({ origin }: OidcRequest) {
  const provider = yield* ConfiguredIdentityProvider
  if (provider === null) return yield* new IdentityRefused({ reason: "no hay ninguno configurado" })
  const { kept, url } = yield* provider.begin(`${origin}${oidcPaths.finish}`)
  return HttpServerResponse.empty({ status: 303, headers: { location: url, "set-cookie": oidcCookie(kept, origin) } })
})

const finish = Effect.fnUntraced(function* ({ address, cookies, origin, url }: OidcRequest) {
  const provider = yield* ConfiguredIdentityProvider
  const kept = oidcSecretsIn(cookies, origin)
  if (provider === null || kept === undefined)
    return yield* new IdentityRefused({
      reason: "el inicio de sesión no empezó en este navegador, o empezó hace más de 10 minutos"
    })
  const identity = yield* provider.finish(new URL(`${origin}${oidcPaths.finish}${url.search}`), kept)
  const { token } = yield* signInWithOidc(identity, { via: "console", address })
  return HttpServerResponse.setHeader(htmlPage(200, enteredPage), "set-cookie", sessionCookie(token, origin))
})

/** Sends the browser to the identity provider, or begins a session when the browser comes back. */
export const serveOidc = (request: OidcRequest) =>
  Effect.catch(request.url.pathname === oidcPaths.begin ? begin(request) : finish(request), (error) => {
    const message = refusalOf(error)?.message ?? "No se pudo entrar."
    return Effect.succeed(htmlPage(403, plainPage(message)))
  })
