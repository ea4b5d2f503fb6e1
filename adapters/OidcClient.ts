import { Effect, Redacted, Schema } from "effect"
import { IdentityRefused } from "../core/domain/SignInErrors.ts"
import type { IdentityProvider } from "../core/ports/IdentityProvider.ts"

export interface OidcOptions {
  /** The issuer's address. http is allowed only for this machine. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

const timeout_seconds = 10

/** The secrets of one sign-in. None of them is a secret of Saldo. */
const Kept = Schema.fromJsonString(
  Schema.Struct({ verifier: Schema.String, state: Schema.String, nonce: Schema.String })
)

const encodeKept = Schema.encodeSync(Kept)
const decodeKept = Schema.decodeEffect(Kept)

const refused = (cause: unknown) => new IdentityRefused({ reason: cause instanceof Error ? cause.message : "unknown" })

/**
 * An identity provider, through the library openid-client: authorization code flow with PKCE, state and
 * nonce. The library checks signature, issuer, audience and times of the ID token. The first sign-in loads
 * the library.
 */
export const make = ({ clientId, clientSecret, issuer }: OidcOptions): IdentityProvider => {
  // The provider's metadata is read again for each sign-in, because sign-ins are rare and providers change their keys.
  const discovered = Effect.tryPromise({
    try: async () => {
      const client = await import("openid-client")
      const isLocal = new URL(issuer).protocol === "http:"
      const configuration = await client.discovery(new URL(issuer), clientId, Redacted.value(clientSecret), undefined, {
        timeout: timeout_seconds,
        execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])]
      })
      return { client, configuration }
    },
    catch: refused
  })

  return {
    begin: Effect.fnUntraced(function* (returnTo: string) {
      const { client, configuration } = yield* discovered
      const kept = {
        verifier: client.randomPKCECodeVerifier(),
        state: client.randomState(),
        nonce: client.randomNonce()
      }
      const challenge = yield* Effect.promise(() => client.calculatePKCECodeChallenge(kept.verifier))
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: returnTo,
        scope: "openid email",
        code_challenge: challenge,
        code_challenge_method: "S256",
        state: kept.state,
        nonce: kept.nonce,
        // An operator needs a fresh sign-in to make changes. So the provider must ask for the password even if it has a
        // session.
        prompt: "login"
      })
      return { url: url.href, kept: encodeKept(kept) }
    }),
    finish: Effect.fnUntraced(function* (returned: URL, given: string) {
      const { nonce, state, verifier } = yield* Effect.mapError(decodeKept(given), refused)
      const { client, configuration } = yield* discovered
      const claims = yield* Effect.tryPromise({
        try: async () => {
          const tokens = await client.authorizationCodeGrant(configuration, returned, {
            pkceCodeVerifier: verifier,
            expectedState: state,
            expectedNonce: nonce,
            idTokenExpected: true
          })
          return tokens.claims()
        },
        catch: refused
      })
      if (claims === undefined) return yield* new IdentityRefused({ reason: "no ID token" })
      const { email, email_verified, iss, sub } = claims
      return { issuer: iss, subject: sub, email: typeof email === "string" && email_verified === true ? email : null }
    })
  }
}
