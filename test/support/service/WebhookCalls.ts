import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { keepDelivering } from "../../../core/workflows/DeliverEvents.ts"
import { eventView } from "../../../facade/api/EventView.ts"
import { ManualClock } from "../InProcessService.ts"
import { checkingReceiver } from "../ReceivedWebhook.ts"
import { customer } from "./CustomerCompany.ts"
import { as, call } from "./HttpCalls.ts"
import { testServer } from "./TestServer.ts"

export const ask = (apiKey: string) => (method: string, path: string, body?: object) =>
  call(path, {
    method,
    headers: { ...as(apiKey), ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })

/**
 * A company, its calls, and a webhook that leads to a receiver. The receiver answers with the next status in `statuses`,
 * and with 200 when the list is empty. When the scope closes, the receiver checks every webhook that it has received,
 * with the secrets that the calls have returned.
 */
export const subscriber = Effect.fnUntraced(function* (wish: object = {}, wanted?: Parameters<typeof customer>[0]) {
  const company = yield* customer(wanted)
  const statuses: Array<number> = []
  const secrets: Array<string> = []
  const { deliveries: received, port } = yield* checkingReceiver(secrets, (response) =>
    response.writeHead(statuses.shift() ?? 200).end()
  )
  const calls: ReturnType<typeof ask> = (...call) =>
    Effect.tap(ask(company.apiKey)(...call), ({ body }) =>
      Effect.sync(() => void (body?.data?.secreto && secrets.push(body.data.secreto)))
    )
  const url = `http://127.0.0.1:${port}/saldo`
  const created = yield* calls("POST", "/v1/webhooks", { url, ...wish })
  assert.strictEqual(created.status, 201)
  const { webhook_id } = created.body.data as { webhook_id: number }
  return { ...company, calls, created, received, secrets, statuses, url, path: `/v1/webhooks/${webhook_id}` }
})

/** Sends deliveries in the background, as a server does. */
export const delivering = Effect.forkScoped(keepDelivering((event) => JSON.stringify(eventView(event))))

/** Waits until the deliveries of a webhook equal `expected`. Advances the clock, so that retries become due. */
export const settled = Effect.fnUntraced(function* (
  calls: ReturnType<typeof ask>,
  path: string,
  expected: ReadonlyArray<readonly [type: string, estado: string, intento: number, error: string | null]>
) {
  const clock = yield* ManualClock
  for (let look = 0; ; look++) {
    yield* clock.pass("20 millis")
    const { body } = yield* calls("GET", `${path}/entregas`)
    const items = (body.data as { items: ReadonlyArray<Record<string, unknown>> }).items
    const shown = items.map(({ error, estado, intento, type }) => [type, estado, intento, error])
    if (JSON.stringify(shown) === JSON.stringify(expected)) return items
    if (look === 400)
      assert.deepStrictEqual(
        shown,
        expected.map((one) => [...one])
      )
    yield* Effect.yieldNow
  }
})

/** A server that allows webhooks to this machine. */
export const WebhookServer = testServer({ WEBHOOK_ALLOW_LOCAL: "on", PG_POOL_MAX: "8" })
