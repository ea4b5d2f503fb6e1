import { Context, Duration, Effect, Layer, type LogLevel, Redacted, Result, Schema } from "effect"
import { Hex } from "effect/encoding"
import { xidPrefixLength_max, xidPrefixPattern } from "../../core/domain/Idempotency.ts"
import { partyVariables } from "./PartySettings.ts"
import {
  integer,
  keyword,
  matchingPattern,
  onOff,
  type Parser,
  readAll,
  urlWithProtocol,
  variable,
  WrongVariable,
  webOrigin
} from "./Variable.ts"

/** What whoever runs the service sets for watching and stopping it. */

const opsPort_default = 9464

const off = "off" as const

/** What a reading reads, or that it is not wanted. */
const orOff =
  <A>(read: Parser<A>): Parser<A | typeof off> =>
  (text) =>
    text.toLowerCase() === off ? off : read(text)

/** `name=value` pairs parted by commas, their values escaped as in a URL: OpenTelemetry's own form. */
const headerPairs: Parser<Readonly<Record<string, string>>> = (text) => {
  try {
    const pairs = text.split(",").map((pair) => /^\s*([\w-]+)\s*=(.*)$/.exec(pair))
    return pairs.some((pair) => pair === null)
      ? null
      : Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", decodeURIComponent(pair?.[2]?.trim() ?? "")]))
  } catch {
    return null
  }
}

const operationsVariables = {
  opsPort: variable("OPS_PORT", {
    expected: "a port from 0 to 65535, 0 for any free one, or off",
    read: orOff(integer(0, 65_535)),
    fallback: null
  }),
  // Whoever can read the metrics knows how much is sold.
  opsHost: variable("OPS_HOST", {
    expected: "an address to listen on",
    read: matchingPattern(/^[\w.:-]+$/),
    fallback: "127.0.0.1"
  }),
  auditEvery_min: variable("AUDIT_EVERY", {
    expected: "a whole number of minutes from 1 to 10080, or off",
    read: orOff(integer(1, 10_080)),
    fallback: 15
  }),
  shutdownDelay_s: variable("SHUTDOWN_DELAY", {
    expected: "a whole number of seconds from 0 to 300",
    read: integer(0, 300),
    fallback: 0
  }),
  otlpEndpoint: variable("OTEL_EXPORTER_OTLP_ENDPOINT", {
    expected: "an address like http://collector:4318",
    read: urlWithProtocol("http:", "https:"),
    fallback: null
  }),
  otlpHeaders: variable("OTEL_EXPORTER_OTLP_HEADERS", {
    expected: "name=value pairs parted by commas, such as authorization=Bearer%20abc",
    read: headerPairs,
    fallback: {},
    secret: true
  })
}

type OperationsVariables = typeof operationsVariables
type OperationsValues = { readonly [Name in keyof OperationsVariables]: Effect.Success<OperationsVariables[Name]> }

const operationsOf = (values: OperationsValues) => ({
  /** Where health and metrics are told; null for nowhere. */
  ops:
    values.opsPort === off
      ? null
      : {
          host: values.opsHost,
          port: values.opsPort ?? opsPort_default,
          /** One that nobody asked for must not keep the service from starting. */
          wanted: values.opsPort !== null
        },
  /** How often the invariants are proved; null for never. */
  auditEvery: values.auditEvery_min === off ? null : Duration.minutes(values.auditEvery_min),
  /** How long a process that was told to stop goes on taking calls, so that whoever sends them hears of it. */
  shutdownDelay: Duration.seconds(values.shutdownDelay_s),
  /** Where traces and logs go, beside the log; null for nowhere. */
  otlp:
    values.otlpEndpoint === null
      ? null
      : { url: values.otlpEndpoint.replace(/\/+$/, ""), headers: Redacted.make(values.otlpHeaders) }
})

/** The environment has variables that cannot be used; the message has a line for each. */
export class WrongSettings extends Schema.TaggedError<WrongSettings>()("WrongSettings", {
  message: Schema.String
}) {}

const logLevels: Readonly<Record<string, LogLevel.LogLevel>> = {
  all: "All",
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None"
}

const filePath = (text: string): string => text
const hexKey = (text: string): Uint8Array | null => {
  const bytes = Result.getOrNull(Hex.decode(text))
  return bytes?.length === 32 ? bytes : null
}
/** It stands in the documentation. */
const sandboxSecret_default = "sandbox_secreto_publico_2026"

// Visible ASCII: clients write others into headers in ways of their own. A quote would end the example that shows it.
const credentialPattern = /^[!#-&(-\-/-~]{1,200}$/
const numberBetween = (minimum: number, maximum: number, fallback: number) => ({
  expected: `a whole number from ${minimum} to ${maximum}`,
  read: integer(minimum, maximum),
  fallback
})

/** The files of TLS. One without the other is a mistake, and serving plain HTTP would hide it. */
export const tlsFiles = Effect.gen(function* () {
  const certificateFile = yield* variable("TLS_CERT_FILE", { expected: "a file", read: filePath, fallback: null })
  const keyFile = yield* variable("TLS_KEY_FILE", { expected: "a file", read: filePath, fallback: null })
  if (certificateFile !== null && keyFile !== null) return { certificateFile, keyFile }
  if (certificateFile === null && keyFile === null) return null
  const [missing, given] = keyFile === null ? ["TLS_KEY_FILE", "TLS_CERT_FILE"] : ["TLS_CERT_FILE", "TLS_KEY_FILE"]
  return yield* new WrongVariable({ message: `${missing} is absent; it should be a file, as ${given} is set` })
})

const databaseAddress = {
  expected: "an address like postgres://user:password@host:5432/database",
  read: urlWithProtocol("postgres:", "postgresql:"),
  fallback: null,
  secret: true
}

// Whoever sets the second alone means a server of his own, and would get the embedded one.
const databaseUrls = Effect.gen(function* () {
  const { migrationUrl, url } = yield* readAll({
    url: variable("DATABASE_URL", databaseAddress),
    migrationUrl: variable("MIGRATION_DATABASE_URL", databaseAddress)
  })
  if (url !== null || migrationUrl === null) return { url, migrationUrl }
  const expected = "the address of the same database for everything else"
  return yield* new WrongVariable({
    message: `DATABASE_URL is absent; it should be ${expected}, as MIGRATION_DATABASE_URL is set`
  })
})

const variables = {
  port: variable("PORT", { ...numberBetween(0, 65_535, 3000), expected: "a port from 0 to 65535, 0 for any free one" }),
  // This machine alone unless the operator says otherwise: the sandbox's credentials are known to everybody.
  host: variable("HOST", {
    expected: "an address to listen on",
    read: matchingPattern(/^[\w.:-]+$/),
    fallback: "127.0.0.1"
  }),
  database: databaseUrls,
  dataKey: variable("DATA_KEY", { expected: "64 hexadecimal digits", read: hexKey, fallback: null, secret: true }),
  tokenPepper: variable("TOKEN_PEPPER", {
    expected: "64 hexadecimal digits",
    read: hexKey,
    fallback: null,
    secret: true
  }),
  dataDirectory: variable("DATA_DIR", { expected: "a directory", read: filePath, fallback: ".data" }),
  connections: variable("PG_POOL_MAX", numberBetween(4, 500, 16)),
  trustProxy: variable("TRUST_PROXY", { expected: "on or off", read: onOff, fallback: false }),
  tls: tlsFiles,
  callsPerMinute: variable("RATE_LIMIT_PER_MINUTE", numberBetween(1, 1_000_000, 120)),
  addressCallsPerMinute: variable("RATE_LIMIT_ADDRESS_PER_MINUTE", numberBetween(1, 1_000_000, 120)),
  redisUrl: variable("REDIS_URL", {
    expected: "an address like redis://host:6379",
    read: urlWithProtocol("redis:", "rediss:"),
    fallback: null,
    secret: true
  }),
  sandbox: variable("SANDBOX", { expected: "on or off", read: onOff, fallback: true }),
  sandboxKey: variable("SANDBOX_API_KEY", {
    expected: "up to 200 visible ASCII characters, no dot and no quotes among them",
    read: matchingPattern(credentialPattern),
    fallback: "sandbox_publico"
  }),
  sandboxSecret: variable("SANDBOX_API_SECRET", {
    expected: "up to 200 visible ASCII characters, no dot and no quotes among them",
    read: matchingPattern(credentialPattern),
    fallback: sandboxSecret_default,
    secret: true
  }),
  xidPrefix: variable("XID_PREFIX", {
    expected: `1 to ${xidPrefixLength_max} letters and digits`,
    read: matchingPattern(new RegExp(`^${xidPrefixPattern}$`)),
    fallback: "RD"
  }),
  publicUrl: variable("PUBLIC_URL", {
    expected: "an address like https://api.example.com, without a path",
    read: webOrigin,
    fallback: null
  }),
  environment: variable("ENVIRONMENT", {
    expected: "1 to 32 letters, digits, hyphens and underscores",
    read: matchingPattern(/^[A-Za-z0-9_-]{1,32}$/),
    fallback: "production"
  }),
  ...partyVariables,
  ...operationsVariables,
  logLevel: variable("LOG_LEVEL", {
    expected: `one of ${Object.keys(logLevels).join(", ")}`,
    read: keyword(logLevels),
    fallback: "Info" as const
  }),
  logFormat: variable("LOG_FORMAT", {
    expected: "pretty or json",
    read: keyword({ pretty: "pretty" as const, json: "json" as const }),
    fallback: null
  })
}

type Values = { readonly [Name in keyof typeof variables]: Effect.Success<(typeof variables)[Name]> }

const settingsOf = (values: Values) => ({
  http: { host: values.host, port: values.port },
  /** Null for plain HTTP, behind a proxy that speaks TLS. */
  tls: values.tls,
  /** Null for the embedded Postgres in the data directory. */
  databaseUrl: values.database.url === null ? null : Redacted.make(values.database.url),
  /** By whose login the schema is changed; null for the same. */
  migrationUrl: values.database.migrationUrl === null ? null : Redacted.make(values.database.migrationUrl),
  /** By which the key of personal data is kept; null while that stands in the database as it is. */
  dataKey: values.dataKey === null ? null : Redacted.make(values.dataKey),
  /** Under which the secrets of tokens are kept; null for their SHA-256 alone. */
  tokenPepper: values.tokenPepper === null ? null : Redacted.make(values.tokenPepper),
  dataDirectory: values.dataDirectory,
  /** How many connections to Postgres a process keeps. */
  connections_max: values.connections,
  /** Whether the client's address is taken from X-Forwarded-For. */
  trustProxy: values.trustProxy,
  rateLimit: { perToken: values.callsPerMinute, perAddress: values.addressCallsPerMinute },
  /** Null for counts of calls that each process keeps by itself. */
  redisUrl: values.redisUrl === null ? null : Redacted.make(values.redisUrl),
  /** The credentials of the shared sandbox company; null when there is none. */
  sandbox: values.sandbox
    ? {
        apiKey: values.sandboxKey,
        secret: Redacted.make(values.sandboxSecret),
        knownToAll: values.sandboxSecret === sandboxSecret_default
      }
    : null,
  xidPrefix: values.xidPrefix,
  /** Where clients reach the service, without a slash at the end; null when only the process's own address is known. */
  publicUrl: values.publicUrl,
  /** What the operator calls this deployment. */
  environment: values.environment,
  /** Whom production companies sell through; null where there is nobody. */
  parties: {
    provider: values.provider,
    insurer: values.insurer,
    sms: values.sms,
    calls_max: values.partyCalls_max
  },
  ...operationsOf(values),
  log: { level: values.logLevel, format: values.logFormat }
})

const readSettings = readAll<Values>(variables).pipe(
  Effect.map(settingsOf),
  Effect.mapError(({ message }) => new WrongSettings({ message }))
)

/** What the operator may set, all of it by environment variables. */
export class Settings extends Context.Service<Settings, ReturnType<typeof settingsOf>>()("saldo/facade/Settings") {
  /** Read once; every wrong variable is reported at once. */
  static readonly layer: Layer.Layer<Settings, WrongSettings> = Layer.effect(Settings, readSettings)
}
