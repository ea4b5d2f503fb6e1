import { Context, Data, type Effect, type Redacted, type Stream } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { ErrorCode } from "../../core/domain/ErrorCodes.ts"
import type { CoreError } from "../../core/domain/Errors.ts"
import type { CompanyId } from "../../core/domain/Ids.ts"
import type { Quota } from "../../core/domain/RateLimit.ts"
import type { Sha256 } from "../../core/domain/Sha256.ts"
import type { Accounts } from "../../core/ports/Accounts.ts"
import type { AuditLog } from "../../core/ports/AuditLog.ts"
import type { CallCounter } from "../../core/ports/CallCounter.ts"
import type { Catalogue } from "../../core/ports/Catalogue.ts"
import type { Closings } from "../../core/ports/Closings.ts"
import type { Deliveries } from "../../core/ports/Deliveries.ts"
import type { Events } from "../../core/ports/Events.ts"
import type { Insurances } from "../../core/ports/Insurances.ts"
import type { Insurers } from "../../core/ports/Insurer.ts"
import type { Ledger } from "../../core/ports/Ledger.ts"
import type { Options } from "../../core/ports/Options.ts"
import type { Outbox } from "../../core/ports/Outbox.ts"
import type { Pepper } from "../../core/ports/Pepper.ts"
import type { Providers } from "../../core/ports/Provider.ts"
import type { PolicyRenderer, ReceiptRenderer, TableRenderer } from "../../core/ports/Renderers.ts"
import type { Reversals } from "../../core/ports/Reversals.ts"
import type { SmsGateways } from "../../core/ports/SmsGateway.ts"
import type { Statement } from "../../core/ports/Statement.ts"
import type { TokenDirectory } from "../../core/ports/TokenDirectory.ts"
import type { Transactions } from "../../core/ports/Transactions.ts"
import type { Vault } from "../../core/ports/Vault.ts"
import type { WebhookSender } from "../../core/ports/WebhookSender.ts"
import type { Webhooks } from "../../core/ports/Webhooks.ts"
import type { InFlight } from "../../core/workflows/InFlight.ts"

/** The services that procedures use. They are built once, when the server starts. */
export type Services =
  | Accounts
  | AuditLog
  | CallCounter
  | Closings
  | Catalogue
  | TokenDirectory
  | Deliveries
  | Events
  | InFlight
  | Insurances
  | Insurers
  | Ledger
  | Options
  | Outbox
  | Pepper
  | PolicyRenderer
  | Providers
  | ReceiptRenderer
  | Reversals
  | SecureRandom.SecureRandom
  | Sha256
  | SmsGateways
  | Statement
  | TableRenderer
  | Transactions
  | Vault
  | Webhooks
  | WebhookSender

/** A file that REST sends instead of JSON. */
export class FileReply extends Data.Class<{
  readonly type: "application/pdf" | "text/csv; charset=utf-8"
  /** The file name that a browser suggests for saving. */
  readonly name: string
  /** Whether the browser shows the file (Content-Disposition: inline) or saves it (attachment). */
  readonly shown: boolean
  /** The bytes of the file. They are not made for a HEAD request. */
  readonly body: Effect.Effect<Uint8Array, CoreError> | Stream.Stream<Uint8Array>
}> {}

/** The parts of a response that a procedure sets in addition to the data. */
interface Reply {
  /** The message for a person. Undefined if every response of the procedure has the same message. */
  message: string | undefined
  /** The caller's remaining calls. Undefined until the call is counted. */
  quota: Quota | undefined
  readonly headers: Record<string, string>
}

/** An empty reply, for a call that has just arrived. */
export const emptyReply = (): Reply => ({ headers: {}, message: undefined, quota: undefined })

/** The headers that carry credentials. */
export interface CredentialHeaders {
  readonly authorization: string | undefined
  readonly apiKey: string | undefined
  readonly apiSecret: string | undefined
}

/** The name that logs and metrics give to the route of a request that matches no route. */
const unrouted = "{unknown}"

/**
 * The log entry of one request, which is filled while the request is processed. It never contains the caller's data,
 * which may be a secret or a customer's number.
 */
export interface RequestLogEntry {
  /** Annotations of every log line that is written for the request. */
  readonly about: { readonly request_id: string; company?: CompanyId; xid?: string }
  /** The path template of the route. */
  route: string
  /** The error codes of the response. A tRPC batch has one code for each failed call. */
  codes: ReadonlyArray<ErrorCode>
}

export const newLogEntry = (requestId: string): RequestLogEntry => ({
  about: { request_id: requestId },
  route: unrouted,
  codes: []
})

/** The log entry of the current request. */
export class RequestLog extends Context.Service<RequestLog, RequestLogEntry>()("saldo/facade/RequestLog") {}

/** One HTTP call to REST or to tRPC. A tRPC batch is one call that runs several procedures. */
export interface Call {
  readonly requestId: string
  readonly log: RequestLogEntry
  /** The client's IP address. */
  readonly address: string
  readonly credentials: CredentialHeaders
  /** The URL at which the client reached the service, without a trailing slash. */
  readonly baseUrl: () => string
  readonly reply: Reply
}

/** The operator's settings for HTTP. */
export interface HttpOptionsShape {
  /** Whether a TLS proxy in front of the service reports the client's address in X-Forwarded-For. */
  readonly trustProxy: boolean
  /**
   * The URL at which clients reach the service, without a trailing slash. If null, the URL is taken from each request.
   */
  readonly publicUrl: string | null
  /** The e-mail address to which integrators write for help. Null if the operator has not set one. */
  readonly supportEmail: string | null
  /** Calls per minute. Contract: 8. */
  readonly limits: { readonly perToken: number; readonly perAddress: number }
  /** The environment that /v1/info reports. Test and production companies share one deployment. */
  readonly environment: string
  /** The credentials of the sandbox company, which the console shows to every visitor. Null if there is no sandbox. */
  readonly sandbox: { readonly apiKey: string; readonly secret: Redacted.Redacted } | null
}

export const HttpOptions = Context.Reference<HttpOptionsShape>("saldo/facade/HttpOptions", {
  defaultValue: () => ({
    trustProxy: false,
    publicUrl: null,
    supportEmail: null,
    limits: { perToken: 120, perAddress: 120 },
    environment: "production",
    sandbox: null
  })
})
