import { Effect, Schema } from "effect"
import { type ReceivedDelivery, type Respond, signatureBy, startReceiver } from "../../fakes/Receiver.ts"
import { eventFaults } from "../../support/EventSchemas.ts"

/** The deliveries of one event that an endpoint received with the same body. */
export const ReceivedEvent = Schema.Struct({
  /** Path of the endpoint. */
  path: Schema.String,
  /** The header `webhook-id`. */
  id: Schema.String,
  body: Schema.String,
  /** Whether each of the deliveries had a valid signature. */
  isSigned: Schema.Boolean,
  /** The ways in which the body violates the schema of its type in the OpenAPI document. */
  faults: Schema.Array(Schema.String)
})
export type ReceivedEvent = typeof ReceivedEvent.Type

/** An endpoint, the secret of its webhook, and whether it confirms every delivery. */
export const Subscription = Schema.Struct({ path: Schema.String, secret: Schema.String, isHealthy: Schema.Boolean })
export type Subscription = typeof Subscription.Type

/** The responses that an unhealthy endpoint gives in turn. One in five confirms the delivery. */
const unhealthyResponses: ReadonlyArray<Respond> = [
  (response) => response.writeHead(500).end(),
  (_, socket) => socket.destroy(),
  // This response never arrives.
  () => undefined,
  (response) => response.writeHead(302, { location: "/elsewhere" }).end(),
  (response) => response.writeHead(200).end()
]

const isSigned = (delivery: ReceivedDelivery, secret: string): boolean =>
  String(delivery.headers["webhook-signature"]).split(" ").includes(signatureBy(secret, delivery))

/** Starts the endpoints of webhooks on one local port. */
export const startWebhookEndpoints = Effect.gen(function* () {
  const subscriptions = new Map<string, Subscription>()
  let turn = 0
  const { deliveries, port } = yield* startReceiver((response, socket, delivery) => {
    const isHealthy = subscriptions.get(delivery.path)?.isHealthy ?? false
    if (isHealthy) response.writeHead(204).end()
    else unhealthyResponses[turn++ % unhealthyResponses.length]?.(response, socket, delivery)
  })
  return {
    url: `http://127.0.0.1:${port}`,
    subscribe: (subscription: Subscription) => void subscriptions.set(subscription.path, subscription),
    /** Takes the events that were received since the last call. */
    take: (): ReadonlyArray<ReceivedEvent> => {
      const received = new Map<string, ReceivedEvent>()
      for (const delivery of deliveries.splice(0)) {
        const { headers, path, text: body } = delivery
        const id = String(headers["webhook-id"])
        const key = `${path} ${id} ${body}`
        const signed = isSigned(delivery, subscriptions.get(path)?.secret ?? "")
        const before = received.get(key)
        const faults = before?.faults ?? eventFaults(JSON.parse(body))
        received.set(key, { path, id, body, isSigned: signed && (before?.isSigned ?? true), faults })
      }
      return [...received.values()]
    }
  }
})
