import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { assert, vi } from "@effect/vitest"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { keepDelivering } from "../../../core/workflows/DeliverEvents.ts"
import { eventView } from "../../../facade/api/Eventos.ts"
import { ManualClock } from "../InProcessService.ts"
import { customer } from "./CustomerCompany.ts"
import { as, call } from "./HttpCalls.ts"
import { testServer } from "./TestServer.ts"

export interface Received {
  readonly headers: Record<string, string>
  readonly body: string
}

/**
 * An endpoint of a company. The endpoint answers with the next status of the list, or with 200 if the list is empty.
 */
const endpoint = Effect.gen(function* () {
  const received: Array<Received> = []
  const statuses: Array<number> = []
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers as Record<string, string>, body: await text(request) })
    response.writeHead(statuses.shift() ?? 200).end()
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () => Effect.sync(() => void server.close().closeAllConnections())
  )
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/saldo`, received, statuses }
})

export const ask = (apiKey: string) => (method: string, path: string, body?: object) =>
  call(path, {
    method,
    headers: { ...as(apiKey), ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })

/** A company, its calls, and a webhook that leads to a real endpoint. */
export const subscriber = Effect.fnUntraced(function* (wish: object = {}) {
  const company = yield* customer()
  const calls = ask(company.apiKey)
  const to = yield* endpoint
  const created = yield* calls("POST", "/v1/webhooks", { url: to.url, ...wish })
  assert.strictEqual(created.status, 201)
  const { secreto, webhook_id } = created.body.data as { secreto: string; webhook_id: number }
  return { ...company, calls, ...to, created, secreto, path: `/v1/webhooks/${webhook_id}` }
})

/** Sends deliveries in the background, as a server does. */
export const delivering = Effect.forkScoped(keepDelivering((event) => JSON.stringify(eventView(event))))

/** Verifies the signature at the time of the attempt, because the test controls the server's clock. */
export const verified = (secret: string, { body, headers }: Received) => {
  const clock = vi.spyOn(Date, "now").mockReturnValue(Number(headers["webhook-timestamp"]) * 1000)
  try {
    return new Webhook(secret).verify(body, headers)
  } finally {
    clock.mockRestore()
  }
}

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
