import { randomUUID } from "node:crypto"
import { Redacted } from "effect"
import { localUrl } from "../../settings/LocalUrl.ts"
import type { Settings } from "../../settings/Settings.ts"

export interface Started {
  readonly settings: Settings["Service"]
  /** Where it listens, which PORT=0 leaves open. */
  readonly port: number
  /** Where the data is, in words. */
  readonly place: string
  /** Where health and metrics are told; null for nowhere. */
  readonly ops: string | null
}

/** What a person needs to see of a server that has just started: where it is, and how to sell. */
export const banner = (started: Started): string => {
  const base = baseUrl(started)
  const { sandbox } = started.settings
  const lines = [`Saldo is ready at ${base}`, `  docs         ${base}/docs`, `  data         ${started.place}`]
  if (started.ops !== null) lines.push(`  metrics      ${started.ops}/metrics`)
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

/** The same for a program. */
export const readiness = (started: Started) => {
  const base = baseUrl(started)
  const { sandbox } = started.settings
  return {
    url: base,
    docs: `${base}/docs`,
    data: started.place,
    operations: started.ops,
    api_key: sandbox?.apiKey ?? null,
    api_secret: sandbox === null ? null : Redacted.value(sandbox.secret)
  }
}

const baseUrl = ({ port, settings: { http, tls } }: Started): string =>
  localUrl(tls === null ? "http" : "https", { host: http.host, port })
