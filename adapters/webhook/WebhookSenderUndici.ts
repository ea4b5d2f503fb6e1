import { createHmac } from "node:crypto"
import { Agent, type Dispatcher } from "@effect/platform-node/Undici"
import { DateTime, Duration, Effect, Layer, Redacted, Result } from "effect"
import {
  type Attempt,
  errorOfStatus,
  type NoResponse,
  readRetryAfter,
  readWebhookUrl,
  signingKeyOf
} from "../../core/domain/Webhook.ts"
import { type WebhookRequest, WebhookSender } from "../../core/ports/WebhookSender.ts"
import { acceptsAddress } from "./AddressRule.ts"
import { checkedLookup, type Resolve, resolveWith } from "./NameLookup.ts"
import { noResponseOf } from "./NoResponse.ts"

/** Time limit for a whole attempt: name lookup, connection, TLS, headers and body. */
const attempt_max = Duration.seconds(15)

/** Maximum number of bytes that are read of a response body. The connection is closed if the body is longer. */
const body_max_bytes = 16 * 1024
const headers_max_bytes = 16 * 1024

/**
 * How long a socket waits for one of several addresses before it tries the next. Node's default of 250 ms is shorter
 * than a round trip to another continent.
 */
const oneAddress_max_ms = 2500

/**
 * Connections to receivers. They read no proxy from the environment, follow no redirect, and always verify
 * certificates, regardless of the environment.
 */
const makeAgent = (lookup: ReturnType<typeof checkedLookup>) =>
  new Agent({
    // HTTP/2 would need its own limits, and single requests gain nothing from it.
    allowH2: false,
    maxHeaderSize: headers_max_bytes,
    // The time limit of the attempt covers headers and body. The opening of a connection can outlive the attempt, so it has
    // its own timeout.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      lookup,
      timeout: Duration.toMillis(attempt_max),
      rejectUnauthorized: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: oneAddress_max_ms
    }
  })

/** The signatures of Standard Webhooks: one for each secret, separated by spaces. */
const signaturesOf = ({ body, id, secrets, timestamp_s }: WebhookRequest): string =>
  secrets
    .map((secret) => createHmac("sha256", signingKeyOf(Redacted.value(secret))))
    .map((hmac) => `v1,${hmac.update(`${id}.${timestamp_s}.${body}`).digest("base64")}`)
    .join(" ")

const headersOf = (request: WebhookRequest) => ({
  "content-type": "application/json",
  "user-agent": "Saldo-Webhooks",
  "webhook-id": request.id,
  "webhook-timestamp": String(request.timestamp_s),
  "webhook-signature": signaturesOf(request)
})

/** Sends the request and waits for the headers of the response. */
const open = (agent: Agent, request: WebhookRequest, signal: AbortSignal) =>
  Effect.tryPromise({
    try: () => {
      const { origin, pathname, search } = new URL(request.url)
      return agent.request({
        origin,
        path: pathname + search,
        method: "POST",
        headers: headersOf(request),
        body: request.body,
        signal,
        highWaterMark: body_max_bytes
      })
    },
    catch: noResponseOf
  })

/**
 * Reads the body up to its limit and drops it. A failure while reading the body does not change the result of the
 * attempt.
 */
const drop = ({ body }: Dispatcher.ResponseData, signal: AbortSignal) =>
  Effect.ignore(Effect.tryPromise(() => body.dump({ limit: body_max_bytes, signal })))

type Outcome = Omit<Attempt, "duration_ms">

const withoutResponse = (error: NoResponse): Outcome => ({ httpStatus: null, error, retryAfter_s: null })

/** Reason of every abort. Without a reason, Node creates an exception with a stack trace for each attempt. */
const ended = "the attempt has ended"

/** Passes `use` a signal that aborts its request when `use` ends or is interrupted. */
const withSignal = <A, E>(use: (signal: AbortSignal) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new AbortController()),
    ({ signal }) => use(signal),
    (controller) => Effect.sync(() => controller.abort(ended))
  )

const exchange = Effect.fnUntraced(function* (agent: Agent, request: WebhookRequest, signal: AbortSignal) {
  const [took, response] = yield* open(agent, request, signal).pipe(
    Effect.timeoutOrElse({ duration: attempt_max, orElse: () => Effect.fail("timeout" as const) }),
    Effect.timed
  )
  const { headers, statusCode } = response
  const retryAfter = String(headers["retry-after"] ?? "")
  const retryAfter_s = readRetryAfter(statusCode, retryAfter, yield* DateTime.now)
  yield* Effect.timeoutOption(drop(response, signal), Duration.subtract(attempt_max, took))
  return { httpStatus: statusCode, error: errorOfStatus(statusCode), retryAfter_s }
})

export interface SenderOptions {
  /** Whether http URLs and this machine are allowed as destinations, for development. */
  readonly local: boolean
  /** Looks up names. By default asks the system's name servers. */
  readonly resolve?: Resolve
}

/** Sends deliveries with undici. Deliveries to the same origin share connections. */
export const layer = ({ local, resolve = resolveWith() }: SenderOptions) =>
  Layer.effect(
    WebhookSender,
    Effect.gen(function* () {
      const destinations = { local, accepts: acceptsAddress(local) }
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => makeAgent(checkedLookup(resolve, destinations.accepts))),
        (agent) => Effect.promise(() => agent.destroy())
      )
      const readUrl = (text: string) => readWebhookUrl(text, destinations)
      // Checks the stored URL again. The rules may have changed after the URL was stored. And if the host is a literal IP
      // address, the socket makes no lookup that checks the address.
      const deliver = (request: WebhookRequest): Effect.Effect<Outcome, NoResponse> =>
        Result.isSuccess(readUrl(request.url))
          ? withSignal((signal) => exchange(agent, request, signal))
          : Effect.fail("direccion_no_permitida")
      const send = (request: WebhookRequest): Effect.Effect<Attempt> =>
        deliver(request).pipe(
          Effect.catch((error) => Effect.succeed(withoutResponse(error))),
          Effect.timed,
          Effect.map(([took, outcome]) => ({ ...outcome, duration_ms: Math.round(Duration.toMillis(took)) }))
        )
      return WebhookSender.of({ readUrl, send })
    })
  )
