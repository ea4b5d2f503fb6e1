import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import { text } from "node:stream/consumers"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { timeout_ms } from "../../support/FirstStart.ts"
import { ended, serving } from "../../support/SaldoProcess.ts"

const headers = {
  authorization: "Bearer sandbox_publico.sandbox_secreto_publico_2026",
  "content-type": "application/json"
}
const sale = JSON.stringify({ service_id: 1, identifier: "8095550123", amount: 20 })

/**
 * Sends a sale. Returns its HTTP status and whether the connection stays open, or null if the connection ended before a
 * response.
 */
const sell = (agent: Agent, url: string, key: string) =>
  Effect.callback<{ readonly status: number | undefined; readonly staysOpen: boolean } | null>((resume) => {
    const asked = { agent, method: "POST", headers: { ...headers, "idempotency-key": key } }
    const broken = () => resume(Effect.succeed(null))
    request(`${url}/v1/recargas`, asked, (response) => {
      const staysOpen = response.headers.connection !== "close"
      text(response).then(() => resume(Effect.succeed({ status: response.statusCode, staysOpen })), broken)
    })
      .on("error", broken)
      .end(sale)
  })

interface SaleResponse {
  readonly key: string
  readonly status: number | undefined
}

/** A client that sends one sale after another on one connection until the connection closes. Returns the responses. */
const busyClient = Effect.fnUntraced(function* (url: string, sold: Deferred.Deferred<void>) {
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1 })),
    (agent) => Effect.sync(() => agent.destroy())
  )
  const responses: Array<SaleResponse> = []
  for (;;) {
    const key = randomUUID()
    const answer = yield* sell(agent, url, key)
    if (answer === null) return responses
    responses.push({ key, status: answer.status })
    yield* Deferred.succeed(sold, undefined)
    if (!answer.staysOpen) return responses
  }
})

/** The idempotency keys of all stored sales. */
const keysIn = (url: string) =>
  PgClient.PgClient.use((sql) => sql<{ key: string }>`select idempotency_key as key from cell.transaction`).pipe(
    Effect.map((rows) => rows.map(({ key }) => key)),
    Effect.provide(Database.layer({ url: Redacted.make(url), connections_max: 1 }))
  )

const clients = 8

describe("clients with busy connections", { timeout: timeout_ms }, () => {
  // A request may arrive while the server closes an idle connection. Such a request gets no response and must not be stored.
  it.live("receive a response to every stored sale and do not delay the server's stop", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabaseUrl
      const server = yield* serving({ DATABASE_URL: url, RATE_LIMIT_PER_MINUTE: "1000000" })
      const sold = yield* Effect.replicateEffect(Deferred.make<void>(), clients)
      const selling = yield* Effect.forkChild(
        Effect.forEach(sold, (first) => busyClient(server.url, first), { concurrency: clients })
      )
      yield* Effect.forEach(sold, Deferred.await)
      yield* Effect.sync(() => server.process.kill("SIGTERM"))
      const responses = (yield* Fiber.join(selling)).flat()
      assert.strictEqual(yield* ended(server), 0)
      assert.deepStrictEqual([...new Set(responses.map(({ status }) => status))], [201])
      assert.sameMembers(
        yield* keysIn(url),
        responses.map(({ key }) => key)
      )
    })
  )
})
