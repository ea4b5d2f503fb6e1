import { Context, Effect, Layer, type LogLevel, Redacted, Result, Schema } from "effect"
import { Hex } from "effect/encoding"
import { xidPrefixLength_max, xidPrefixPattern } from "../../core/domain/Xid.ts"
import { operationsOf, operationsVariables } from "./OperationsSettings.ts"
import { partyVariables } from "./PartySettings.ts"
import { address, integer, matching, onOff, origin, together, variable, WrongVariable, word } from "./Variable.ts"

/** The environment has variables that cannot be used; the message has a line for each. */
export class WrongSettings extends Schema.TaggedError<WrongSettings>()("WrongSettings", {
  message: Schema.String
}) {}

const levels: Readonly<Record<string, LogLevel.LogLevel>> = {
  all: "All",
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None"
}

const file = (text: string): string => text
const key = (text: string): Uint8Array | null => {
  const bytes = Result.getOrNull(Hex.decode(text))
  return bytes?.length === 32 ? bytes : null
}
/** It stands in the documentation. */
const sandboxSecret_default = "sandbox_secreto_publico_2026"

// Visible ASCII: clients write others into headers in ways of their own. A quote would end the example that shows it.
const credential = /^[!#-&(-\-/-~]{1,200}$/
const number = (minimum: number, maximum: number, fallback: number) => ({
  expected: `a whole number from ${minimum} to ${maximum}`,
  read: integer(minimum, maximum),
  fallback
})

/** The files of TLS. One without the other is a mistake, and serving plain HTTP would hide it. */
export const tls = Effect.gen(function* () {
  const certificateFile = yield* variable("TLS_CERT_FILE", { expected: "a file", read: file, fallback: null })
  const keyFile = yield* variable("TLS_KEY_FILE", { expected: "a file", read: file, fallback: null })
  if (certificateFile !== null && keyFile !== null) return { certificateFile, keyFile }
  if (certificateFile === null && keyFile === null) return null
  const [missing, given] = keyFile === null ? ["TLS_KEY_FILE", "TLS_CERT_FILE"] : ["TLS_CERT_FILE", "TLS_KEY_FILE"]
  return yield* new WrongVariable({ message: `${missing} is absent; it should be a file, as ${given} is set` })
})

const databaseAddress = {
  expected: "an address like postgres://user:password@host:5432/database",
  read: address("postgres:", "postgresql:"),
  fallback: null,
  secret: true
}

// Whoever sets the second alone means a server of his own, and would get the embedded one.
const database = Effect.gen(function* () {
  const { migrationUrl, url } = yield* together({
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
  port: variable("PORT", { ...number(0, 65_535, 3000), expected: "a port from 0 to 65535, 0 for any free one" }),
  // This machine alone unless the operator says otherwise: the sandbox's credentials are known to everybody.
  host: variable("HOST", { expected: "an address to listen on", read: matching(/^[\w.:-]+$/), fallback: "127.0.0.1" }),
  database,
  dataKey: variable("DATA_KEY", { expected: "64 hexadecimal digits", read: key, fallback: null, secret: true }),
  tokenPepper: variable("TOKEN_PEPPER", { expected: "64 hexadecimal digits", read: key, fallback: null, secret: true }),
  dataDirectory: variable("DATA_DIR", { expected: "a directory", read: file, fallback: ".data" }),
  connections: variable("PG_POOL_MAX", number(4, 500, 16)),
  trustProxy: variable("TRUST_PROXY", { expected: "on or off", read: onOff, fallback: false }),
  tls,
  callsPerMinute: variable("RATE_LIMIT_PER_MINUTE", number(1, 1_000_000, 120)),
  addressCallsPerMinute: variable("RATE_LIMIT_ADDRESS_PER_MINUTE", number(1, 1_000_000, 120)),
  redisUrl: variable("REDIS_URL", {
    expected: "an address like redis://host:6379",
    read: address("redis:", "rediss:"),
    fallback: null,
    secret: true
  }),
  sandbox: variable("SANDBOX", { expected: "on or off", read: onOff, fallback: true }),
  sandboxKey: variable("SANDBOX_API_KEY", {
    expected: "up to 200 visible ASCII characters, no dot and no quotes among them",
    read: matching(credential),
    fallback: "sandbox_publico"
  }),
  sandboxSecret: variable("SANDBOX_API_SECRET", {
    expected: "up to 200 visible ASCII characters, no dot and no quotes among them",
    read: matching(credential),
    fallback: sandboxSecret_default,
    secret: true
  }),
  xidPrefix: variable("XID_PREFIX", {
    expected: `1 to ${xidPrefixLength_max} letters and digits`,
    read: matching(new RegExp(`^${xidPrefixPattern}$`)),
    fallback: "RD"
  }),
  publicUrl: variable("PUBLIC_URL", {
    expected: "an address like https://api.example.com, without a path",
    read: origin,
    fallback: null
  }),
  environment: variable("ENVIRONMENT", {
    expected: "1 to 32 letters, digits, hyphens and underscores",
    read: matching(/^[A-Za-z0-9_-]{1,32}$/),
    fallback: "production"
  }),
  ...partyVariables,
  ...operationsVariables,
  logLevel: variable("LOG_LEVEL", {
    expected: `one of ${Object.keys(levels).join(", ")}`,
    read: word(levels),
    fallback: "Info" as const
  }),
  logFormat: variable("LOG_FORMAT", {
    expected: "pretty or json",
    read: word({ pretty: "pretty" as const, json: "json" as const }),
    fallback: null
  })
}

type Values = { readonly [Name in keyof typeof variables]: Effect.Success<(typeof variables)[Name]> }

const settle = (values: Values) => ({
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

const read = together<Values>(variables).pipe(
  Effect.map(settle),
  Effect.mapError(({ message }) => new WrongSettings({ message }))
)

/** What the operator may set, all of it by environment variables. */
export class Settings extends Context.Service<Settings, ReturnType<typeof settle>>()("saldo/facade/Settings") {
  /** Read once; every wrong variable is reported at once. */
  static readonly layer: Layer.Layer<Settings, WrongSettings> = Layer.effect(Settings, read)
}
