import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { signatureBy, startReceiver } from "../fakes/Receiver.ts"
import { eventFaults } from "./EventSchemas.ts"

/** A request to a webhook as its receiver got it. */
export interface ReceivedWebhook {
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** An event in the body of a webhook. */
export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  readonly secuencia: number
  readonly empresa_id: number
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * The event in the body of a webhook. Fails unless the body has the schema of its type in the OpenAPI document, and
 * each signature is made by one of the secrets.
 */
export const eventOf = (received: ReceivedWebhook, secrets: ReadonlyArray<string>): ReceivedEvent => {
  const event = JSON.parse(received.text) as ReceivedEvent
  assert.deepStrictEqual(eventFaults(event), [])
  assert.strictEqual(received.headers["webhook-id"], event.id)
  for (const signature of String(received.headers["webhook-signature"]).split(" ")) {
    assert.isTrue(
      secrets.some((secret) => signatureBy(secret, received) === signature),
      `no secret made ${signature}`
    )
  }
  return event
}

/**
 * A receiver of webhooks. When its scope closes, it checks every webhook that it has received.
 *
 * @param secrets may have signed the webhooks. A test may add secrets while the receiver runs.
 */
export const checkingReceiver = (secrets: ReadonlyArray<string>, ...[respond, tls]: Parameters<typeof startReceiver>) =>
  Effect.tap(startReceiver(respond, tls), ({ deliveries }) =>
    Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const delivery of deliveries) eventOf(delivery, secrets)
      })
    )
  )
