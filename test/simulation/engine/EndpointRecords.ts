import { WebhookUrl } from "../../../core/domain/Webhook.ts"

/**
 * The behavior of an endpoint when no fault hits the request. `healthy` and `temporary` accept every event; the company
 * deletes a temporary webhook during the run. `failing` responds with 500, `hanging` does not respond. `gone` accepts a
 * few events and then responds with 410.
 */
export type EndpointKind = "healthy" | "temporary" | "failing" | "hanging" | "gone"

/** Number of events that a `gone` endpoint accepts before it responds with 410. */
const beforeGone = 3

/** The URL of an endpoint. It contains the kind, so that the endpoint can be found by its URL. */
export const endpointUrl = (kind: EndpointKind, companyId: number): WebhookUrl =>
  WebhookUrl.make(`https://${kind}.example/${companyId}`)

export const endpointKindOf = (url: string): EndpointKind => new URL(url).hostname.split(".")[0] as EndpointKind

/** The attempts to deliver one event to one endpoint, as the endpoint saw them. */
interface ReceivedEvent {
  /** Number of requests that a process made. */
  sent: number
  /** Number of requests that the endpoint received and accepted. */
  accepted: number
  /** Number of 2xx responses that reached the process. */
  confirmed: number
}

/** The events that the endpoints of all webhooks received. */
export class EndpointRecords {
  private readonly events = new Map<string, ReceivedEvent>()
  private readonly requests = new Map<string, number>()

  of(url: string, id: string): ReceivedEvent {
    const name = `${url} ${id}`
    const known = this.events.get(name) ?? { sent: 0, accepted: 0, confirmed: 0 }
    this.events.set(name, known)
    return known
  }

  /** The status with which an endpoint responds to the next request. Null if it does not respond. */
  respond(url: string): number | null {
    const requests = (this.requests.get(url) ?? 0) + 1
    this.requests.set(url, requests)
    switch (endpointKindOf(url)) {
      case "healthy":
      case "temporary":
        return 204
      case "failing":
        return 500
      case "hanging":
        return null
      case "gone":
        return requests > beforeGone ? 410 : 204
    }
  }
}
