import { randomUUID } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { Command } from "effect/cli"
import type { Started } from "../../ServerLayer.ts"
import { localUrl } from "../../settings/ListenAddress.ts"
import { print } from "../terminal/Output.ts"

/** The text that a started server prints: its addresses and an example sale. */
const banner = (started: Started): string => {
  const base = baseUrl(started)
  const { sandbox } = started.settings
  const lines = [`Saldo is ready at ${base}`, `  docs         ${base}/docs`, `  data         ${started.place}`]
  if (started.ops !== null) lines.push(`  metrics      ${started.ops}/metrics`)
  if (started.console !== null) lines.push(`  console      ${started.console}`)
  if (sandbox === null) return [...lines, ""].join("\n")
  const secret = Redacted.value(sandbox.secret)
  return [
    ...lines,
    `  api_key      ${sandbox.apiKey}`,
    `  api_secret   ${secret}`,
    "",
    "Sell a top-up of RD$ 100 in the sandbox:",
    "",
    `  curl -s${started.settings.tls === null ? "" : "k"} ${base}/v1/recargas \\`,
    `    -H 'Authorization: Bearer ${sandbox.apiKey}.${secret}' \\`,
    `    -H 'Idempotency-Key: ${randomUUID()}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '{"service_id": 1, "identifier": "8095550123", "amount": 100}'`,
    ""
  ].join("\n")
}

/** The same information as JSON. */
const startedDocument = (started: Started) => {
  const base = baseUrl(started)
  const { sandbox } = started.settings
  return {
    url: base,
    docs: `${base}/docs`,
    data: started.place,
    operations: started.ops,
    console: started.console,
    api_key: sandbox?.apiKey ?? null,
    api_secret: sandbox === null ? null : Redacted.value(sandbox.secret)
  }
}

const baseUrl = ({ port, settings: { http, tls } }: Started): string =>
  localUrl(tls === null ? "http" : "https", { host: http.host, port })

const announce = (started: Started) => print(startedDocument(started), banner(started))

// Loads the server's modules only for this command. They are half of all modules, so the other commands start faster.
const server = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("../../ServerLayer.ts")),
    ({ httpServerLayer }) => httpServerLayer(announce)
  )
)

export const serve = Command.make("serve", {}, () => Layer.launch(server)).pipe(
  Command.withDescription(
    "Serve the API. Without DATABASE_URL, starts an embedded Postgres with its data in DATA_DIR. First migrates and seeds the database, and prints an example sale. On Ctrl-C or SIGTERM, waits for the sales in progress and stops."
  ),
  Command.withShortDescription("Serve the API"),
  Command.withExamples([{ command: "PORT=8080 saldo serve", description: "On a different port" }])
)
