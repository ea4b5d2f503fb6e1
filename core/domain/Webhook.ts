import { Data, DateTime, Duration, Option, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { isClean } from "./Text.ts"

/** Types of the events that a webhook can receive. */
export const EventType = Schema.Literals([
  "transaction.pending",
  "transaction.succeeded",
  "transaction.failed",
  "transaction.reversed",
  "reversal.failed",
  "insurance.issued",
  "insurance.failed",
  "balance.low",
  "balance.recovered",
  "balance.deposited",
  "balance.adjusted",
  "webhook.test"
])
export type EventType = typeof EventType.Type

/** Address of a webhook, in the spelling of the WHATWG URL standard. */
export const WebhookUrl = Schema.String.pipe(Schema.brand("WebhookUrl"))
export type WebhookUrl = typeof WebhookUrl.Type

/** The rules for destinations of webhooks. */
export interface Destinations {
  /** Whether http and localhost names are allowed. Only for development. */
  readonly local: boolean
  /** Whether a connection to the IP address is allowed. IPv6 has no brackets. */
  readonly accepts: (address: string) => boolean
}

/** Longest address of a webhook, in characters. Contract: 6.3. */
export const webhookUrlLength_max = 2048
const httpPort = 80
const httpsPort = 443
const privilegedPort_max = 1023

const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
const hostLength_max = 253

const isPublicName = (labels: ReadonlyArray<string>): boolean => labels.length > 1 && labels.at(-1) !== "localhost"

/**
 * Whether the host can be a destination. A name with a trailing dot is refused, because certificates never contain such
 * names. A name without a dot is refused, because it exists only inside a private network.
 */
const isAllowedHost = (hostname: string, { accepts, local }: Destinations): boolean => {
  // The URL parser has already converted every spelling of an IPv4 address to four decimal numbers.
  const address = /^\d+(\.\d+){3}$/.test(hostname) ? hostname : /^\[(.+)\]$/.exec(hostname)?.[1]
  if (address !== undefined) return accepts(address)
  const labels = hostname.split(".")
  const isName = hostname.length <= hostLength_max && labels.every((part) => label.test(part))
  return isName && (isPublicName(labels) || (local && labels.at(-1) === "localhost"))
}

const isAllowedPort = ({ port, protocol }: URL): boolean => {
  const number = port === "" ? (protocol === "https:" ? httpsPort : httpPort) : Number(port)
  return number > privilegedPort_max || number === httpsPort || (protocol === "http:" && number === httpPort)
}

/**
 * Reads the address of a webhook. All checks use the parsed URL, because a host has many spellings. Names are not
 * resolved here: the sender checks the resolved addresses when it connects.
 */
export const readWebhookUrl = (text: string, destinations: Destinations): Result.Result<WebhookUrl, "no_permitida"> => {
  const url = text.length <= webhookUrlLength_max && isClean(text) ? URL.parse(text) : null
  if (url === null) return Result.fail("no_permitida")
  url.hash = ""
  const allowed =
    (url.protocol === "https:" || (destinations.local && url.protocol === "http:")) &&
    url.username === "" &&
    url.password === "" &&
    url.href.length <= webhookUrlLength_max &&
    isAllowedPort(url) &&
    isAllowedHost(url.hostname, destinations)
  return allowed ? Result.succeed(WebhookUrl.make(url.href)) : Result.fail("no_permitida")
}

/** Number of random bytes in a secret. */
export const webhookSecret_bytes = 32

const secretPrefix = "whsec_"

/** Secret that signs deliveries: `whsec_` and the base64 of 32 bytes. The decoded bytes are the key. */
export const WebhookSecret = Schema.String.check(
  Schema.isPattern(new RegExp(`^${secretPrefix}[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$`))
).pipe(Schema.brand("WebhookSecret"))
export type WebhookSecret = typeof WebhookSecret.Type

export const webhookSecretOf = (key: Uint8Array): WebhookSecret =>
  WebhookSecret.make(`${secretPrefix}${Base64.encode(key)}`)

/** The key with which a secret signs. */
export const signingKeyOf = (secret: WebhookSecret): Uint8Array =>
  Result.getOrThrow(Base64.decode(secret.slice(secretPrefix.length)))

/** Reasons why no response arrived. */
export type NoResponse =
  /** The response was not complete in time. */
  | "timeout"
  /** The name has no address, or the name servers do not answer. */
  | "dns"
  /** Webhooks may not use this IP address. */
  | "direccion_no_permitida"
  /** The destination accepts no connection. */
  | "conexion_rechazada"
  /** The connection broke. */
  | "conexion_cortada"
  /** The TLS handshake failed, or the certificate is not valid. */
  | "tls"
  /** The response is not HTTP, or its headers are too long. */
  | "respuesta_invalida"

/** The reason why an attempt failed. `http_500` stands for a response with status 500. */
export type AttemptError = NoResponse | `http_${number}`

/** The result of sending an event to a webhook once. */
export interface Attempt {
  /** Null if no response arrived. */
  readonly httpStatus: number | null
  /** Null if the attempt delivered the event. */
  readonly error: AttemptError | null
  /** The pause that the receiver asks for in a response with 429 or 503. */
  readonly retryAfter_s: number | null
  readonly duration_ms: number
}

/** The error of a response. Null for 2xx. A redirect is an error too, because its target has not been checked. */
export const errorOfStatus = (status: number): AttemptError | null =>
  status >= 200 && status < 300 ? null : `http_${status}`

const heededStatuses: ReadonlySet<number> = new Set([429, 503])

/**
 * The seconds of a Retry-After header: a number or an HTTP date. Null if the status is not 429 or 503, or the text is
 * neither.
 */
export const readRetryAfter = (status: number, text: string, now: DateTime.Utc): number | null => {
  if (!heededStatuses.has(status)) return null
  if (/^\d{1,9}$/.test(text)) return Number(text)
  return DateTime.make(/^[A-Z][a-z]{2}, .* GMT$/.test(text) ? text : Number.NaN).pipe(
    Option.map((date) => Math.max(0, Math.ceil(Duration.toSeconds(DateTime.distance(now, date))))),
    Option.getOrNull
  )
}

/**
 * Pauses after the first, second, ... failed attempt. If the attempt after the last pause fails too, the delivery has
 * failed. Contract: 6.3.
 */
export const retrySteps = [
  Duration.seconds(5),
  Duration.minutes(5),
  Duration.minutes(30),
  Duration.hours(2),
  Duration.hours(5),
  Duration.hours(10),
  Duration.hours(14),
  Duration.hours(20),
  Duration.hours(24)
]

/**
 * Largest random extension of a pause, as a fraction of the pause. It spreads the retries of deliveries that failed at
 * the same time.
 */
export const jitter_max = 0.2

const heeded_max = 2

/** The pause before the next attempt. Null after the last attempt. */
const retryPause = (failed: number, retryAfter_s: number | null, random: number): Duration.Duration | null => {
  const step = retrySteps[failed - 1]
  if (step === undefined) return null
  const wished = Duration.min(Duration.seconds(retryAfter_s ?? 0), Duration.times(step, heeded_max))
  return Duration.max(Duration.times(step, 1 + jitter_max * random), wished)
}

/** The decision after an attempt. */
export type AfterAttempt = Data.TaggedEnum<{
  Delivered: {}
  /** Try again after the pause. */
  Retry: { readonly pause: Duration.Duration }
  /** All attempts failed: the delivery is `fallida`. */
  Exhausted: {}
  /** The receiver wants no more events (410): the delivery is `fallida` and the webhook is disabled. */
  Gone: {}
}>
export const AfterAttempt = Data.taggedEnum<AfterAttempt>()

/** The state of a delivery, as the company sees it. */
export type DeliveryState = "entregada" | "pendiente" | "fallida"

/** The state of a delivery after an attempt that ended at `at`. A `pendiente` delivery is sent again at `dueAt`. */
export const deliveryAfter = (after: AfterAttempt, at: DateTime.Utc) => {
  const is = (state: DeliveryState, dueAt: DateTime.Utc) => ({ state, dueAt })
  return AfterAttempt.$match(after, {
    Delivered: () => is("entregada", at),
    Retry: ({ pause }) => is("pendiente", DateTime.addDuration(at, pause)),
    Exhausted: () => is("fallida", at),
    Gone: () => is("fallida", at)
  })
}

const gone = 410

/**
 * Decides what follows an attempt.
 *
 * @param number the number of the attempt: 1 for the first.
 * @param random at least 0 and less than 1.
 */
export const afterAttempt = (
  { error, httpStatus, retryAfter_s }: Attempt,
  number: number,
  random: number
): AfterAttempt => {
  if (error === null) return AfterAttempt.Delivered()
  if (httpStatus === gone) return AfterAttempt.Gone()
  const pause = retryPause(number, retryAfter_s, random)
  return pause === null ? AfterAttempt.Exhausted() : AfterAttempt.Retry({ pause })
}

const failing_max = Duration.days(5)

/**
 * Whether the webhook has failed for so long that it is disabled.
 *
 * @param failingSince the first failure after the last success. Null if there is none.
 */
export const isOverdue = (failingSince: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  failingSince !== null && Duration.isGreaterThanOrEqualTo(DateTime.distance(failingSince, now), failing_max)
