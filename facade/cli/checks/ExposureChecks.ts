import { createPrivateKey, X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { DateTime, Duration, Effect } from "effect"
import { localUrl } from "../../settings/LocalUrl.ts"
import { Settings, tls } from "../../settings/Settings.ts"
import { type Check, fine, wrong } from "./Check.ts"

/** Long enough to order a new one. */
const certificateLeft_min = Duration.days(7)

const answer_max_ms = 1000

const isLocal = (host: string): boolean => /^(?:127\.[\d.]+|::1|localhost)$/.test(host)

// The simulator moves no real money, but whoever knows its credentials can fill tables with it.
const exposure = Settings.useSync(({ http, sandbox }): Check => {
  if (isLocal(http.host)) return fine("exposure", `HOST is ${http.host}: this machine alone reaches the service`)
  if (sandbox === null) return fine("exposure", `HOST is ${http.host}, and there is no sandbox`)
  return sandbox.knownToAll
    ? wrong(
        "exposure",
        `HOST is ${http.host}, and the sandbox has credentials that everybody knows: set SANDBOX=off or SANDBOX_API_SECRET`
      )
    : fine("exposure", `HOST is ${http.host}; the sandbox has credentials of its own, which /docs shows to everybody`)
})

const certificate = Effect.fnUntraced(function* (tls: Settings["Service"]["tls"]) {
  if (tls === null) return fine("certificate", "none: a proxy in front speaks TLS, or nobody does")
  const now = yield* DateTime.now
  return yield* Effect.match(
    Effect.tryPromise(async () => {
      const given = new X509Certificate(await readFile(tls.certificateFile))
      const matches = given.checkPrivateKey(createPrivateKey(await readFile(tls.keyFile)))
      return { matches, until: DateTime.makeUnsafe(given.validToDate) }
    }),
    {
      onFailure: ({ cause }): Check =>
        wrong("certificate", `cannot be used (${String(cause)}): check TLS_CERT_FILE and TLS_KEY_FILE`),
      onSuccess: ({ matches, until }) => {
        const ends = `valid until ${DateTime.formatIsoDateUtc(until)}`
        if (!matches) return wrong("certificate", "TLS_KEY_FILE is not the key of TLS_CERT_FILE")
        return DateTime.isLessThan(until, DateTime.addDuration(now, certificateLeft_min))
          ? wrong("certificate", `${ends}: renew it`)
          : fine("certificate", ends)
      }
    }
  )
})

/** What listens at an address: a process of ours, another program, or nobody. */
const listenerAt = (url: string) =>
  Effect.promise(async () => {
    try {
      const response = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(answer_max_ms) })
      return response.ok && (await response.text()) === "ok\n" ? ("ours" as const) : ("another" as const)
    } catch (error) {
      const { cause } = error as { readonly cause?: { readonly code?: unknown } }
      return cause?.code === "ECONNREFUSED" ? ("nobody" as const) : ("another" as const)
    }
  })

const operations = Effect.gen(function* () {
  const { ops } = yield* Settings
  if (ops === null) return fine("operations", "OPS_PORT is off: nobody can watch the service")
  if (ops.port === 0) return fine("operations", "at any free port: a start says which")
  const url = localUrl("http", ops)
  const seen = isLocal(ops.host) ? "" : "; others than this machine can read it"
  switch (yield* listenerAt(url)) {
    case "ours":
      return fine("operations", `a server tells health and metrics at ${url}${seen}`)
    case "nobody":
      return fine("operations", `nobody listens at ${url} yet${seen}`)
    case "another":
      return wrong("operations", `another program listens at ${url}: set OPS_PORT to another port`)
  }
})

/** Who can reach the service, and how it shows itself. */
export const exposureChecks = Effect.all([
  exposure,
  Effect.flatMap(Settings, ({ tls }) => certificate(tls)),
  operations
])

/**
 * The certificate, where other settings are wrong: its files are named by variables too, and all faults are told at
 * once.
 */
export const certificateAlone: Effect.Effect<ReadonlyArray<Check>> = tls.pipe(
  Effect.flatMap((files) => (files === null ? Effect.succeed([]) : Effect.map(certificate(files), (check) => [check]))),
  // That is among the settings that are wrong.
  Effect.orElseSucceed(() => [])
)
