import { type Context, Data, type Effect, type Stream } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { BodyTooLarge, Invalid, NotJson } from "../../core/domain/Errors.ts"
import type { Quota } from "../../core/domain/RateLimit.ts"
import type { Sha256 } from "../../core/domain/Sha256.ts"
import type { Accounts } from "../../core/ports/Accounts.ts"
import type { AuditLog } from "../../core/ports/AuditLog.ts"
import type { CallCounter } from "../../core/ports/CallCounter.ts"
import type { Catalogue } from "../../core/ports/Catalogue.ts"
import type { Directory } from "../../core/ports/Directory.ts"
import type { Insurances } from "../../core/ports/Insurances.ts"
import type { Insurers } from "../../core/ports/Insurer.ts"
import type { Ledger } from "../../core/ports/Ledger.ts"
import type { Options } from "../../core/ports/Options.ts"
import type { Outbox } from "../../core/ports/Outbox.ts"
import type { Pepper } from "../../core/ports/Pepper.ts"
import type { PolicyRenderer } from "../../core/ports/PolicyRenderer.ts"
import type { Providers } from "../../core/ports/Provider.ts"
import type { ReceiptRenderer } from "../../core/ports/ReceiptRenderer.ts"
import type { Reversals } from "../../core/ports/Reversals.ts"
import type { SmsGateways } from "../../core/ports/SmsGateway.ts"
import type { Statement } from "../../core/ports/Statement.ts"
import type { Transactions } from "../../core/ports/Transactions.ts"
import type { Vault } from "../../core/ports/Vault.ts"
import type { InFlight } from "../../core/workflows/InFlight.ts"
import type { AccessShape } from "./Access.ts"

/** What the procedures run on: built once, when the server starts. */
export type Services =
  | Accounts
  | AuditLog
  | CallCounter
  | Catalogue
  | Directory
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
  | Transactions
  | Vault

/** What REST answers instead of JSON. */
export class FileReply extends Data.Class<{
  readonly type: "application/pdf" | "text/csv; charset=utf-8"
  /** Under which name a browser would save it, and whether it would rather show it. */
  readonly name: string
  readonly shown: boolean
  readonly body: Uint8Array | Stream.Stream<Uint8Array>
}> {}

/** What a procedure may say beside its answer. */
interface Reply {
  /** What a person reads, where it is not always the same. */
  message: string | undefined
  /** What the caller has left; undefined until the call was counted. */
  quota: Quota | undefined
  readonly headers: Record<string, string>
}

/** The headers that carry credentials. */
export interface CredentialHeaders {
  readonly authorization: string | undefined
  readonly apiKey: string | undefined
  readonly apiSecret: string | undefined
}

/** One HTTP call, whichever face it came to. A batch of tRPC is one call with several inputs. */
export interface Call {
  readonly requestId: string
  /** What is told of the call once it has been answered. */
  readonly access: AccessShape
  /** The client's IP address. */
  readonly address: string
  readonly credentials: CredentialHeaders
  /** Where the client reached the service, without a slash at the end. */
  readonly baseUrl: () => string
  /** What the client sent as the input of a procedure. Reads the body the first time that it is asked for. */
  readonly input: (batchIndex: number) => Effect.Effect<unknown, BodyTooLarge | Invalid | NotJson>
  readonly reply: Reply
  readonly services: Context.Context<Services>
}
