import { createPrivateKey, X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { connect, isIP } from "node:net"
import { connect as connectSecurely } from "node:tls"
import { Data, DateTime, Duration, Effect, Redacted } from "effect"
import { localUrl } from "../../settings/ListenAddress.ts"
import { Settings, tlsFiles } from "../../settings/Settings.ts"
import { type Check, failed, passed, warned } from "./Check.ts"

/** Minimum remaining validity, enough time to renew a certificate. */
const certificateValidity_min = Duration.days(7)

const livezAnswer_ms_max = 1000

const isLocal = (host: string): boolean => /^(?:127\.[\d.]+|::1|localhost)$/.test(host)

// The sandbox moves no real money, but with public credentials any caller can fill the tables.
const exposure = Settings.useSync(({ http, sandbox }): Check => {
  if (isLocal(http.host)) return passed("exposure", `HOST is ${http.host}: only this machine can reach the service`)
  if (sandbox === null) return passed("exposure", `HOST is ${http.host}; there is no sandbox`)
  return sandbox.knownToAll
    ? failed(
        "exposure",
        `HOST is ${http.host}, and the sandbox has its public credentials: set SANDBOX=off or SANDBOX_API_SECRET`
      )
    : passed("exposure", `HOST is ${http.host}; the sandbox has its own credentials, which /docs shows publicly`)
})

const certificate = Effect.fnUntraced(function* (tls: Settings["Service"]["tls"]) {
  if (tls === null) return passed("certificate", "none: TLS needs a proxy in front of the service")
  const now = yield* DateTime.now
  return yield* Effect.match(
    Effect.tryPromise(async () => {
      const given = new X509Certificate(await readFile(tls.certificateFile))
      const matches = given.checkPrivateKey(createPrivateKey(await readFile(tls.keyFile)))
      return { matches, until: DateTime.makeUnsafe(given.validToDate) }
    }),
    {
      onFailure: ({ cause }): Check =>
        failed("certificate", `cannot be used (${String(cause)}): check TLS_CERT_FILE and TLS_KEY_FILE`),
      onSuccess: ({ matches, until }) => {
        const ends = `valid until ${DateTime.formatIsoDateUtc(until)}`
        if (!matches) return failed("certificate", "TLS_KEY_FILE is not the key of TLS_CERT_FILE")
        return DateTime.isLessThan(until, DateTime.addDuration(now, certificateValidity_min))
          ? failed("certificate", `${ends}: renew it`)
          : passed("certificate", ends)
      }
    }
  )
})

/** Finds out what listens at an address: a Saldo process, another program, or nothing. */
const listenerAt = (url: string) =>
  Effect.promise(async () => {
    try {
      const response = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(livezAnswer_ms_max) })
      return response.ok && (await response.text()) === "ok\n" ? ("ours" as const) : ("another" as const)
    } catch (error) {
      const { cause } = error as { readonly cause?: { readonly code?: unknown } }
      return cause?.code === "ECONNREFUSED" ? ("nothing" as const) : ("another" as const)
    }
  })

const operationsPort = Effect.gen(function* () {
  const { ops } = yield* Settings
  if (ops === null) return warned("operations", "OPS_PORT is off: health and metrics are not available")
  if (ops.port === 0) return passed("operations", "any free port, which the server prints at its start")
  const url = localUrl("http", ops)
  const seen = isLocal(ops.host) ? "" : "; other machines can read it"
  switch (yield* listenerAt(url)) {
    case "ours":
      return passed("operations", `a server serves health and metrics at ${url}${seen}`)
    case "nothing":
      return passed("operations", `no server listens at ${url} yet${seen}`)
    case "another":
      return failed("operations", `another program listens at ${url}: set OPS_PORT to another port`)
  }
})

/** Checks of the addresses at which the service can be reached, and of its certificate. */
export const exposureChecks = Effect.all([
  exposure,
  Effect.flatMap(Settings, ({ tls }) => certificate(tls)),
  operationsPort
])

/** Checks the certificate when other settings are wrong, so that the operator sees all faults in one report. */
export const certificateCheckOnly: Effect.Effect<ReadonlyArray<Check>> = tlsFiles.pipe(
  Effect.flatMap((files) => (files === null ? Effect.succeed([]) : Effect.map(certificate(files), (check) => [check]))),
  // A wrong TLS variable is already reported with the settings.
  Effect.orElseSucceed(() => [])
)

/** Timeout for Redis, long enough for a TLS handshake. The rate limiter's own timeout is shorter. */
const redisAnswer_max = Duration.seconds(3)

/** The first sentence of an error, because errors of Redis are long. */
const firstSentence = (cause: unknown): string => {
  const [first = ""] = (cause instanceof Error ? cause.message : String(cause)).split(/\.? *\n|\. /)
  return first
}

const redisClient = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { createClient } = await import("redis")
      const made = createClient({ url, socket: { reconnectStrategy: false } })
      // Without a listener, an error event would end the process. The promise already reports the error.
      made.on("error", () => {})
      return made
    }),
    (made) => Effect.sync(() => made.destroy())
  )

/**
 * Checks that Redis answers a PING. A Redis that accepts connections may still refuse commands: it may need a password,
 * or accept commands only from its own machine.
 */
const redisCheck = (address: Redacted.Redacted): Effect.Effect<Check> => {
  const url = Redacted.value(address)
  const { host } = new URL(url)
  // The timeout covers Redis only, because loading the client can take seconds on a busy machine.
  const answered = (made: Effect.Success<ReturnType<typeof redisClient>>) =>
    Effect.tryPromise(() => made.connect().then(() => made.ping())).pipe(
      Effect.mapError(({ cause }) => firstSentence(cause)),
      Effect.timeoutOrElse({ duration: redisAnswer_max, orElse: () => Effect.fail("no answer in 3 s") })
    )
  return Effect.flatMap(redisClient(url), answered).pipe(
    Effect.scoped,
    Effect.match({
      onSuccess: () => passed("redis", `${host} answers`),
      onFailure: (reason) =>
        failed("redis", `${host} does not answer (${reason}): each process counts calls by itself until it does`)
    })
  )
}

/** Timeout for opening a connection. */
const connect_max = Duration.seconds(3)

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 }

class UnreachableHost extends Data.TaggedError("Unreachable")<{ readonly message: string }> {}

/** Opens a connection, with TLS for https, and closes it. Sends no request, so nothing can be sold. */
const openConnection = ({ hostname, port, protocol }: URL) =>
  Effect.callback<void, UnreachableHost>((resume) => {
    const isSecure = protocol === "https:"
    const host = hostname.replace(/^\[|\]$/g, "")
    const place = { host, port: port === "" ? (defaultPorts[protocol] ?? 0) : Number(port) }
    // Sends the host name (SNI), by which a shared server selects its certificate. SNI does not allow IP addresses.
    const named = isIP(host) === 0 ? { servername: host } : {}
    const socket = isSecure ? connectSecurely({ ...place, ...named }) : connect(place)
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      // Destroys the socket. The other side may never close it, and the command would not end.
      socket.destroy()
      resume(Effect.void)
    })
    socket.once("error", ({ message }) => resume(Effect.fail(new UnreachableHost({ message }))))
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: connect_max,
      orElse: () => Effect.fail(new UnreachableHost({ message: "no connection in 3 s" }))
    })
  )

const reachabilityCheck = (name: string, address: string): Effect.Effect<Check> => {
  const url = new URL(address)
  return Effect.match(openConnection(url), {
    onSuccess: () => passed(name, `${url.host} accepts connections; no request was sent`),
    onFailure: (error) =>
      failed(name, `${url.host} cannot be reached (${error.message}): check the address and the network`)
  })
}

/** Checks that the configured external services can be reached. The database has its own checks. */
export const reachabilityChecks = Effect.gen(function* () {
  const { otlp, externalServices, redisUrl } = yield* Settings
  const places: Readonly<Record<string, string | undefined>> = {
    provider: externalServices.provider?.baseUrl,
    insurer: externalServices.insurer?.baseUrl,
    sms: externalServices.sms?.baseUrl,
    collector: otlp?.url
  }
  const configured = Object.entries(places).flatMap(([name, address]) =>
    address === undefined ? [] : [reachabilityCheck(name, address)]
  )
  return yield* Effect.all(redisUrl === null ? configured : [...configured, redisCheck(redisUrl)], {
    concurrency: "unbounded"
  })
})
