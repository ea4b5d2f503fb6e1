import { Context, DateTime, Duration, Effect, Layer, Option, Redacted } from "effect"
import * as InsurancesMemory from "../../adapters/memory/InsurancesMemory.ts"
import * as DeliveriesPostgres from "../../adapters/postgres/events/DeliveriesPostgres.ts"
import * as WebhooksPostgres from "../../adapters/postgres/events/WebhooksPostgres.ts"
import type { WebhookId } from "../../core/domain/Event.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { type Attempt, afterAttempt, WebhookUrl, webhookSecretOf } from "../../core/domain/Webhook.ts"
import { type ClaimedDelivery, Deliveries } from "../../core/ports/Deliveries.ts"
import { Webhooks } from "../../core/ports/Webhooks.ts"
import { replica } from "./SalesOnPostgres.ts"

/** The webhook ports of one server. The servers of a test share only Postgres and the data key. */
export const server = Effect.map(
  Layer.build(
    Layer.fresh(
      Layer.mergeAll(DeliveriesPostgres.layer, WebhooksPostgres.layer).pipe(Layer.provide(InsurancesMemory.vaultLayer))
    )
  ),
  (context) => ({ deliveries: Context.get(context, Deliveries), webhooks: Context.get(context, Webhooks) })
)

export type WebhookServer = Effect.Success<typeof server>

const lease = Duration.seconds(45)
/** The secret of every webhook. */
export const secret = Redacted.make(webhookSecretOf(new Uint8Array(32)))

/** Adds a webhook that receives all events of a company. */
export const webhookOf = Effect.fnUntraced(function* ({ webhooks }: WebhookServer, company: number) {
  const choice = { url: WebhookUrl.make("https://tienda.example.com/"), eventTypes: [], description: "" }
  const added = yield* webhooks.add(CompanyId.make(company), choice, secret, yield* DateTime.now)
  return Option.getOrThrow(added)
})

/** Writes events of a company. Each event reports a deposit. */
export const write = Effect.fnUntraced(function* (company: number, count: number) {
  const ledger = yield* replica
  for (let number = 1; number <= count; number++) {
    const at = yield* DateTime.now
    const companyId = CompanyId.make(company)
    yield* ledger.deposit({ companyId, amount: Amount.make(100), reference: `d${number}`, at })
  }
})

/** Claims due deliveries, as a server does. */
export const claim = Effect.fnUntraced(function* (
  { deliveries }: WebhookServer,
  limit: number,
  { after = Duration.zero, busy = new Map<WebhookId, number>() } = {}
) {
  const now = DateTime.addDuration(yield* DateTime.now, after)
  return yield* deliveries.claim({ now, lease, limit, perWebhook: 16, busy })
})

export const failed: Attempt = { httpStatus: 500, error: "http_500", retryAfter_s: null, duration_ms: 5 }
export const delivered: Attempt = { httpStatus: 200, error: null, retryAfter_s: null, duration_ms: 5 }

export const gone: Attempt = { httpStatus: 410, error: "http_410", retryAfter_s: null, duration_ms: 5 }

/** Records the result of an attempt, as a server does. */
export const record = Effect.fnUntraced(function* (
  { deliveries }: WebhookServer,
  claimed: ClaimedDelivery,
  attempt: Attempt
) {
  const after = afterAttempt(attempt, claimed.attempts + 1, 0)
  return yield* deliveries.record(claimed, { attempt, after, disables: after._tag === "Gone", at: yield* DateTime.now })
})

/** The sequence numbers of claimed deliveries, in order. */
export const sequences = (claimed: ReadonlyArray<ClaimedDelivery>) =>
  claimed.map(({ event }) => event.sequence).sort((a, b) => a - b)
