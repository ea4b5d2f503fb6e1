import { Effect, Redacted } from "effect"
import { listenHost, portOrOff } from "./ListenAddress.ts"
import { matchingPattern, off, type Parser, readAll, variable, WrongVariable, webOrigin } from "./Variable.ts"

/** Settings of the operator console. */

const consolePort_default = 3080

// http is allowed for a provider on this machine, for example in a test.
const issuerForm = /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$))/

const credential: Parser<string> = matchingPattern(/^[!-~]{1,500}$/)

// The three variables must be set together. Otherwise operators would notice a missing variable only when they sign in.
const oidcSettings = Effect.gen(function* () {
  const { clientId, clientSecret, issuer } = yield* readAll({
    issuer: variable("OIDC_ISSUER", {
      expected: "the https address of an identity provider",
      read: (text) => (issuerForm.test(text) && URL.canParse(text) ? text : null),
      fallback: null
    }),
    clientId: variable("OIDC_CLIENT_ID", { expected: "visible ASCII characters", read: credential, fallback: null }),
    clientSecret: variable("OIDC_CLIENT_SECRET", {
      expected: "visible ASCII characters",
      read: credential,
      fallback: null,
      secret: true
    })
  })
  if (issuer !== null && clientId !== null && clientSecret !== null) return { issuer, clientId, clientSecret }
  if (issuer === null && clientId === null && clientSecret === null) return null
  return yield* new WrongVariable({
    message: "OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together; at least one is not set"
  })
})

export const consoleVariables = {
  consolePort: portOrOff("CONSOLE_PORT"),
  // Local by default. From elsewhere, operators use an SSH tunnel or a proxy with TLS.
  consoleHost: listenHost("CONSOLE_HOST"),
  consoleUrl: variable("CONSOLE_URL", {
    expected: "an address like https://consola.example.com, without a path",
    read: webOrigin,
    fallback: null
  }),
  oidc: oidcSettings
}

type Variables = typeof consoleVariables
type Values = { readonly [Name in keyof Variables]: Effect.Success<Variables[Name]> }

/** The identity provider with which operators may sign in. Null if operators sign in with passwords only. */
export const oidcOf = ({ oidc }: Pick<Values, "oidc">) =>
  oidc === null ? null : { ...oidc, clientSecret: Redacted.make(oidc.clientSecret) }

/** The address of the console. Null if turned off. */
export const consoleOf = ({ consoleHost, consolePort, consoleUrl }: Omit<Values, "oidc">) =>
  consolePort === off
    ? null
    : {
        host: consoleHost,
        port: consolePort ?? consolePort_default,
        /** Whether the operator chose the port. If the default port is taken, `saldo serve` starts without a console. */
        wanted: consolePort !== null,
        /** The URL that browsers use, if it is not a loopback address. Null if no such URL is configured. */
        url: consoleUrl
      }
