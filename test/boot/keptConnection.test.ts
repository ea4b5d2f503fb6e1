import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { freshDatabaseUrl } from "../support/Database.ts"
import { ended, serving } from "./Server.ts"

const headers = {
  authorization: "Bearer sandbox_publico.sandbox_secreto_publico_2026",
  "content-type": "application/json"
}
const sale = JSON.stringify({ service_id: 1, identifier: "8095550123", amount: 20 })

/** The status of a sale, and whether the connection goes on; null when that ended with nothing asked on it. */
const sell = (agent: Agent, url: string) =>
  Effect.callback<{ readonly status: number | undefined; readonly goesOn: boolean } | null>((resume) => {
    const asked = { agent, method: "POST", headers: { ...headers, "idempotency-key": randomUUID() } }
    request(`${url}/v1/recargas`, asked, async (response) => {
      await text(response)
      const goesOn = response.headers.connection !== "close"
      resume(Effect.succeed({ status: response.statusCode, goesOn }))
    })
      .on("error", () => resume(Effect.succeed(null)))
      .end(sale)
  })

/** A client that sells without a pause, on one connection, for as long as that is kept. */
const busyClient = Effect.fnUntraced(function* (url: string, begun: Deferred.Deferred<void>) {
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1 })),
    (agent) => Effect.sync(() => agent.destroy())
  )
  const statuses = new Set<number | undefined>()
  for (;;) {
    const answer = yield* sell(agent, url)
    if (answer === null) return statuses
    statuses.add(answer.status)
    yield* Deferred.succeed(begun, undefined)
    if (!answer.goesOn) return statuses
  }
})

const clients = 8

describe("clients that keep their connections busy", () => {
  it.live("are answered to the last, and do not keep a server from stopping", () =>
    Effect.gen(function* () {
      const server = yield* serving({ DATABASE_URL: yield* freshDatabaseUrl, RATE_LIMIT_PER_MINUTE: "1000000" })
      const begun = yield* Deferred.make<void>()
      const selling = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: clients }, () => busyClient(server.url, begun)),
          { concurrency: clients }
        )
      )
      yield* Deferred.await(begun)
      yield* Effect.sync(() => server.process.kill("SIGTERM"))
      const statuses = yield* Fiber.join(selling)
      assert.deepStrictEqual([...new Set(statuses.flatMap((seen) => [...seen]))], [201])
      assert.strictEqual(yield* ended(server), 0)
    })
  )
})
