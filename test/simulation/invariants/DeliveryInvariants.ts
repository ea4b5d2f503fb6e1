import type { CompanyEvent, WebhookId } from "../../../core/domain/Event.ts"
import { eventId } from "../../../core/domain/Event.ts"
import type { ClaimedDelivery } from "../../../core/ports/Deliveries.ts"
import type { WebhookRequest } from "../../../core/ports/WebhookSender.ts"
import type { Webhook } from "../../../core/ports/Webhooks.ts"
import { type EndpointRecords, endpointKindOf } from "../engine/EndpointRecords.ts"
import { type FinalDelivery, reportViolation, type Simulation } from "../engine/Simulation.ts"
import type { EventChecks } from "./EventInvariants.ts"

/** Checks the deliveries of events to webhooks. */
export interface DeliveryChecks {
  readonly added: (webhook: Webhook) => void
  /** Called when the deletion of a webhook is committed. */
  readonly deleted: (id: WebhookId) => void
  /**
   * Called with the deliveries of a claim.
   *
   * @param began_ms time at which the process began the call. The claim commits later.
   */
  readonly claimed: (began_ms: number, claimed: ReadonlyArray<ClaimedDelivery>) => void
  /** Called when the result of an attempt has disabled a webhook. */
  readonly disabled: (id: WebhookId) => void
  readonly sending: (request: WebhookRequest) => void
  /** Checks the deliveries at the end, when enough time for all attempts has passed. */
  readonly atRest: (deliveries: ReadonlyArray<FinalDelivery>) => void
}

/** Maximum number of attempts of a delivery. Contract: 6.3. */
const attempts_max = 10

/** The name under which the check of leases knows a delivery. */
export const deliveryName = (webhookId: WebhookId, sequence: number): string => `event ${sequence} to ${webhookId}`

export const checkDeliveries = (sim: Simulation, records: EndpointRecords, events: EventChecks): DeliveryChecks => {
  const webhooks = new Map<WebhookId, Webhook>()
  /** Time at which a webhook was deleted or disabled, by webhook. From then on the webhook must receive nothing. */
  const inactiveSince_ms = new Map<WebhookId, number>()
  const bodies = new Map<string, string>()

  const deactivate = (id: WebhookId) => void inactiveSince_ms.set(id, sim.eventLoop.now_ms)

  const accepts = ({ eventTypes }: Webhook, type: CompanyEvent["type"]): boolean =>
    eventTypes.length === 0 || eventTypes.includes(type)

  const checkReceived = () => {
    for (const { companyId, sequence, type } of events.written())
      for (const webhook of webhooks.values()) {
        const isDue = webhook.companyId === companyId && accepts(webhook, type) && !inactiveSince_ms.has(webhook.id)
        if (!isDue || endpointKindOf(webhook.url) !== "healthy") continue
        const { accepted, sent } = records.of(webhook.url, eventId(webhook.companyId, sequence))
        if (accepted === 0 && sent < attempts_max)
          reportViolation(
            sim,
            "every healthy webhook receives every event",
            `webhook ${webhook.id} never received event ${sequence} of company ${companyId}, ${type}, in ${sent} attempts`
          )
      }
  }

  const checkEnded = ({ companyId, sequence, state, webhookId, webhookState }: FinalDelivery) => {
    const webhook = webhooks.get(webhookId)
    if (webhook === undefined) return
    const { confirmed, sent } = records.of(webhook.url, eventId(webhook.companyId, sequence))
    const isRight = {
      entregada: confirmed > 0,
      pendiente: webhookState !== "activo",
      fallida: sent >= attempts_max || webhookState === "desactivado"
    }[state]
    if (!isRight)
      reportViolation(
        sim,
        "a delivery ends only as its endpoint responded",
        `event ${sequence} of company ${companyId} to webhook ${webhookId} is ${state} after ${sent} attempts, ${confirmed} of them with a 2xx response`
      )
  }

  return {
    added: (webhook) => void webhooks.set(webhook.id, webhook),
    deleted: deactivate,
    claimed: (began_ms, claimed) => {
      for (const { event, webhook } of claimed) {
        if ((inactiveSince_ms.get(webhook.id) ?? Number.POSITIVE_INFINITY) < began_ms)
          reportViolation(
            sim,
            "an inactive webhook receives nothing",
            `event ${event.sequence} was claimed for webhook ${webhook.id}, which was deleted or disabled before`
          )
        sim.store.look(() => events.read(event))
      }
    },
    disabled: deactivate,
    sending: ({ body, id }) => {
      const before = bodies.get(id) ?? body
      bodies.set(id, before)
      if (before !== body) reportViolation(sim, "an event never changes", `${id} was ${before}, and is now ${body}`)
    },
    atRest: (deliveries) => {
      checkReceived()
      for (const delivery of deliveries) checkEnded(delivery)
    }
  }
}
