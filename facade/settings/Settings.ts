import { Context, Effect, Layer, type LogLevel, Redacted, Result, Schema } from "effect"
import { Hex } from "effect/encoding"
import { xidPrefixLength_max, xidPrefixPattern } from "../../core/domain/Idempotency.ts"
import { Amount, AmountLiteral, readAmount } from "../../core/domain/Money.ts"
import { consoleOf, consoleVariables, oidcOf } from "./ConsoleSettings.ts"
import { externalServicesOf, externalServiceVariables } from "./ExternalServiceSettings.ts"
import { listenHost } from "./ListenAddress.ts"
import { cellNodes } from "./NodeSettings.ts"
import { operationsOf, operationsVariables } from "./OperationsSettings.ts"
import { defaultConnections, expectedProcesses, processCount } from "./Processes.ts"
import {
  databaseAddress,
  integer,
  keyword,
  matchingPattern,
  off,
  onOff,
  orOff,
  readAll,
  urlWithProtocol,
  variable,
  WrongVariable,
  webOrigin
} from "./Variable.ts"

/** Environment variables are invalid. The message has one line for each invalid variable. */
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
const pesos = (text: string): Amount | null => Result.getOrNull(readAmount(AmountLiteral.TextLiteral({ text })))

/** The public default, which the documentation contains. */
const sandboxSecret_default = "sandbox_secreto_publico_2026"

// Visible ASCII only, because clients encode other characters in headers differently. Excludes quotes, which would
// break the documentation's shell examples.
const credentialPattern = /^[!#-&(-\-/-~]{1,200}$/
const numberBetween = (minimum: number, maximum: number, fallback: number) => ({
  expected: `a whole number from ${minimum} to ${maximum}`,
  read: integer(minimum, maximum),
  fallback
})

/** The TLS files. One without the other is an error, because the service would otherwise silently use plain HTTP. */
export const tlsFiles = Effect.gen(function* () {
  const certificateFile = yield* variable("TLS_CERT_FILE", { expected: "a file", read: filePath, fallback: null })
  const keyFile = yield* variable("TLS_KEY_FILE", { expected: "a file", read: filePath, fallback: null })
  if (certificateFile !== null && keyFile !== null) return { certificateFile, keyFile }
  if (certificateFile === null && keyFile === null) return null
  const [missing, given] = keyFile === null ? ["TLS_KEY_FILE", "TLS_CERT_FILE"] : ["TLS_CERT_FILE", "TLS_KEY_FILE"]
  return yield* new WrongVariable({ message: `${missing} is not set; it must be a file, because ${given} is set` })
})

// MIGRATION_DATABASE_URL alone is an error, because the service would silently use the embedded Postgres.
const databaseUrls = Effect.gen(function* () {
  const { migrationUrl, url } = yield* readAll({
    url: variable("DATABASE_URL", databaseAddress),
    migrationUrl: variable("MIGRATION_DATABASE_URL", databaseAddress)
  })
  if (url !== null || migrationUrl === null) return { url, migrationUrl }
  const expected = "the address of the same database"
  return yield* new WrongVariable({
    message: `DATABASE_URL is not set; it must be ${expected}, because MIGRATION_DATABASE_URL is set`
  })
})

const variables = {
  port: variable("PORT", {
    ...numberBetween(0, 65_535, 3000),
    expected: "a port from 0 to 65535 (0 for any free port)"
  }),
  // Local by default, because the sandbox's credentials are public.
  host: listenHost("HOST"),
  database: databaseUrls,
  nodes: cellNodes,
  dataKey: variable("DATA_KEY", { expected: "64 hexadecimal digits", read: hexKey, fallback: null, secret: true }),
  tokenPepper: variable("TOKEN_PEPPER", {
    expected: "64 hexadecimal digits",
    read: hexKey,
    fallback: null,
    secret: true
  }),
  dataDirectory: variable("DATA_DIR", { expected: "a directory", read: filePath, fallback: ".data" }),
  processes: variable("PROCESSES", { expected: expectedProcesses, read: processCount, fallback: 1 }),
  connections: variable("PG_POOL_MAX", { ...numberBetween(4, 500, 16), fallback: null }),
  trustProxy: variable("TRUST_PROXY", { expected: "on or off", read: onOff, fallback: false }),
  tls: tlsFiles,
  openConnections_max: variable("MAX_CONNECTIONS", numberBetween(10, 1_000_000, 10_000)),
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
    expected: "up to 200 visible ASCII characters, without dots and quotes",
    read: matchingPattern(credentialPattern),
    fallback: "sandbox_publico"
  }),
  sandboxSecret: variable("SANDBOX_API_SECRET", {
    expected: "up to 200 visible ASCII characters, without dots and quotes",
    read: matchingPattern(credentialPattern),
    fallback: sandboxSecret_default,
    secret: true
  }),
  xidPrefix: variable("XID_PREFIX", {
    expected: `1 to ${xidPrefixLength_max} letters and digits`,
    read: matchingPattern(new RegExp(`^${xidPrefixPattern}$`)),
    fallback: "RD"
  }),
  depositConfirmAbove: variable("DEPOSIT_CONFIRM_ABOVE", {
    expected: "an amount in pesos above zero with at most two decimals, or off",
    read: orOff(pesos),
    fallback: Amount.make(100_000_000)
  }),
  publicUrl: variable("PUBLIC_URL", {
    expected: "an address like https://api.example.com, without a path",
    read: webOrigin,
    fallback: null
  }),
  supportEmail: variable("SUPPORT_EMAIL", {
    expected: "an e-mail address",
    read: matchingPattern(/^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/),
    fallback: null
  }),
  environment: variable("ENVIRONMENT", {
    expected: "1 to 32 letters, digits, hyphens and underscores",
    read: matchingPattern(/^[A-Za-z0-9_-]{1,32}$/),
    fallback: "production"
  }),
  webhookLocal: variable("WEBHOOK_ALLOW_LOCAL", { expected: "on or off", read: onOff, fallback: false }),
  ...externalServiceVariables,
  ...operationsVariables,
  ...consoleVariables,
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
  /** The certificate and key files. Null for plain HTTP, for example behind a proxy that terminates TLS. */
  tls: values.tls,
  /** Maximum number of open client connections. */
  openConnections_max: values.openConnections_max,
  /** The address of the database. Null for the embedded Postgres in the data directory. */
  databaseUrl: values.database.url === null ? null : Redacted.make(values.database.url),
  /** The address with the login that changes the schema. Null if `databaseUrl` has that login. */
  migrationUrl: values.database.migrationUrl === null ? null : Redacted.make(values.database.migrationUrl),
  /** The other Postgres servers with cells, by the name of the node. */
  nodes: values.nodes,
  /** Encrypts the data key of personal data. Null if the data key is stored in plain form. */
  dataKey: values.dataKey === null ? null : Redacted.make(values.dataKey),
  /** The pepper of token secrets. Null if the secrets are stored as plain SHA-256. */
  tokenPepper: values.tokenPepper === null ? null : Redacted.make(values.tokenPepper),
  dataDirectory: values.dataDirectory,
  /** Number of processes that serve calls. A single process has no primary process. */
  processes: values.processes,
  /** Number of connections to Postgres for each process. */
  connections_max: values.connections ?? defaultConnections(values.processes),
  /** Whether the client's address is taken from X-Forwarded-For. */
  trustProxy: values.trustProxy,
  rateLimit: { perToken: values.callsPerMinute, perAddress: values.addressCallsPerMinute },
  /** The address of the Redis that counts calls. Null if each process counts calls by itself. */
  redisUrl: values.redisUrl === null ? null : Redacted.make(values.redisUrl),
  /** The credentials of the shared sandbox company. Null if there is none. */
  sandbox: values.sandbox
    ? {
        apiKey: values.sandboxKey,
        secret: Redacted.make(values.sandboxSecret),
        knownToAll: values.sandboxSecret === sandboxSecret_default
      }
    : null,
  xidPrefix: values.xidPrefix,
  /** The amount above which a deposit needs two operators. Null if one operator may make any deposit. */
  depositConfirmAbove: values.depositConfirmAbove === off ? null : values.depositConfirmAbove,
  /** The public URL of the service, without a trailing slash. Null if only the process's own address is known. */
  publicUrl: values.publicUrl,
  /** The e-mail address to which integrators write for help. */
  supportEmail: values.supportEmail,
  /** The name of this deployment, which the operator has chosen. */
  environment: values.environment,
  /** Whether webhooks may use http, and may have an address on this machine. */
  webhookLocal: values.webhookLocal,
  /** The external services of production companies. A service that is not configured is null. */
  externalServices: externalServicesOf(values),
  ...operationsOf(values),
  console: consoleOf(values),
  oidc: oidcOf(values),
  log: { level: values.logLevel, format: values.logFormat }
})

const readSettings = readAll<Values>(variables).pipe(
  Effect.map(settingsOf),
  Effect.mapError(({ message }) => new WrongSettings({ message }))
)

/** All settings, read from environment variables. */
export class Settings extends Context.Service<Settings, ReturnType<typeof settingsOf>>()("saldo/facade/Settings") {
  /** Reads the variables once and reports all invalid variables together. */
  static readonly layer: Layer.Layer<Settings, WrongSettings> = Layer.effect(Settings, readSettings)
}
