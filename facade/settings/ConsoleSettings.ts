import type { Effect } from "effect"
import { listenHost, portOrOff } from "./ListenAddress.ts"
import { off, variable, webOrigin } from "./Variable.ts"

/** Settings of the operator console. */

const consolePort_default = 3080

export const consoleVariables = {
  consolePort: portOrOff("CONSOLE_PORT"),
  // Local by default. From elsewhere, operators use an SSH tunnel or a proxy with TLS.
  consoleHost: listenHost("CONSOLE_HOST"),
  consoleUrl: variable("CONSOLE_URL", {
    expected: "an address like https://consola.example.com, without a path",
    read: webOrigin,
    fallback: null
  })
}

type Variables = typeof consoleVariables
type Values = { readonly [Name in keyof Variables]: Effect.Success<Variables[Name]> }

/** The address of the console. Null if turned off. */
export const consoleOf = ({ consoleHost, consolePort, consoleUrl }: Values) =>
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
