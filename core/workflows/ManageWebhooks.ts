import { DateTime, type Duration, Effect, Option, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { isShared } from "../domain/Company.ts"
import { Forbidden, Invalid, NotFound } from "../domain/Errors.ts"
import type { WebhookId } from "../domain/Event.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { Session } from "../domain/Session.ts"
import { type EventType, webhookSecret_bytes, webhookSecretOf } from "../domain/Webhook.ts"
import { Deliveries, type Replay } from "../ports/Deliveries.ts"
import { WebhookSender } from "../ports/WebhookSender.ts"
import { type Webhook, type WebhookChoice, Webhooks } from "../ports/Webhooks.ts"

/** The fields of a webhook in a company's request. */
export interface WebhookWish {
  readonly url?: string | undefined
  readonly eventTypes?: ReadonlyArray<EventType> | undefined
  readonly description?: string | undefined
  readonly state?: "activo" | "pausado" | undefined
}

const readUrl = (text: string) =>
  WebhookSender.use(({ readUrl }) =>
    Effect.fromResult(Result.mapError(readUrl(text), (reason) => new Invalid({ details: { url: reason } })))
  )

const withoutRepeats = (types: ReadonlyArray<EventType>): ReadonlyArray<EventType> => [...new Set(types)]

const newSecret = SecureRandom.SecureRandom.use((random) =>
  Effect.map(random.randomBytes(webhookSecret_bytes), (bytes) => Redacted.make(webhookSecretOf(bytes)))
)

const orNotFound = <A>(found: Option.Option<A>) => Effect.mapError(Effect.fromOption(found), () => new NotFound())

/** Refuses webhooks for the shared sandbox, because its credentials are public. */
const refuseShared = ({ company }: Session) =>
  isShared(company) ? Effect.fail(new Forbidden({ why: "shared_sandbox" })) : Effect.void

/** Creates a webhook. Only this call returns the secret. Contract: 6. */
export const createWebhook = Effect.fn("ManageWebhooks.createWebhook")(function* (
  session: Session,
  url: string,
  { description = "", eventTypes = [] }: Omit<WebhookWish, "state" | "url">
) {
  yield* refuseShared(session)
  const choice: WebhookChoice = { url: yield* readUrl(url), description, eventTypes: withoutRepeats(eventTypes) }
  const secret = yield* newSecret
  const webhooks = yield* Webhooks
  const added = yield* webhooks.add(session.company.id, choice, secret, yield* DateTime.now)
  if (Option.isNone(added)) return yield* new Invalid({ details: { webhooks: "maximo_alcanzado" } })
  return { webhook: added.value, secret }
})

export const findWebhook = Effect.fn("ManageWebhooks.findWebhook")(function* (companyId: CompanyId, id: WebhookId) {
  const webhooks = yield* Webhooks
  return yield* orNotFound(yield* webhooks.find(companyId, id))
})

/** Changes the given parts of a webhook. Activating a webhook resets `failingSince`. Contract: 6. */
export const changeWebhook = Effect.fn("ManageWebhooks.changeWebhook")(function* (
  companyId: CompanyId,
  id: WebhookId,
  { eventTypes, url, ...wish }: WebhookWish
) {
  const webhooks = yield* Webhooks
  const changes = {
    ...wish,
    eventTypes: eventTypes === undefined ? undefined : withoutRepeats(eventTypes),
    url: url === undefined ? undefined : yield* readUrl(url)
  }
  return yield* orNotFound(yield* webhooks.change(companyId, id, changes))
})

/** Deletes a webhook and returns the deleted webhook. */
export const removeWebhook = Effect.fn("ManageWebhooks.removeWebhook")(function* (companyId: CompanyId, id: WebhookId) {
  const webhook = yield* findWebhook(companyId, id)
  const webhooks = yield* Webhooks
  return (yield* webhooks.remove(companyId, id)) ? webhook : yield* new NotFound()
})

/** Gives a webhook a new secret. Both secrets sign until the overlap ends. Contract: 6. */
export const rotateWebhookSecret = Effect.fn("ManageWebhooks.rotateWebhookSecret")(function* (
  companyId: CompanyId,
  id: WebhookId,
  overlap: Duration.Duration
) {
  const webhooks = yield* Webhooks
  const secret = yield* newSecret
  const previousUntil = DateTime.addDuration(yield* DateTime.now, overlap)
  return (yield* webhooks.rotate(companyId, id, secret, previousUntil))
    ? { secret, previousUntil }
    : yield* new NotFound()
})

const requireActive = ({ state }: Webhook) =>
  state === "activo" ? Effect.void : Effect.fail(new Invalid({ details: { estado: "no_activo" } }))

/** Sends a test event to an active webhook. Returns the sequence number of the event. Contract: 6. */
export const testWebhook = Effect.fn("ManageWebhooks.testWebhook")(function* (companyId: CompanyId, id: WebhookId) {
  yield* requireActive(yield* findWebhook(companyId, id))
  const deliveries = yield* Deliveries
  const sequence = yield* deliveries.test(companyId, id, yield* DateTime.now)
  // None means that the operator has turned off the events of the company.
  return yield* Effect.mapError(Effect.fromOption(sequence), () => new Invalid({ details: { eventos: "apagados" } }))
})

/** Sends events again. Returns the number of events. Contract: 6. */
export const replayEvents = Effect.fn("ManageWebhooks.replayEvents")(function* (
  companyId: CompanyId,
  id: WebhookId,
  wanted: Replay
) {
  yield* findWebhook(companyId, id)
  const deliveries = yield* Deliveries
  return yield* deliveries.replay(companyId, id, wanted, yield* DateTime.now)
})
