import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { customer } from "../contract/support/Customer.ts"
import { TestServer } from "../contract/support/Server.ts"
import { get, sell } from "../facade/support/Calls.ts"

const sold = { service_id: 7, amount: 100, identifier: "204510003" }

/** Holds a table that notes go to, as an index that is built anew does. */
const holding = Effect.fnUntraced(function* (table: string) {
  const sql = yield* PgClient.PgClient
  const held = yield* Deferred.make<void>()
  const released = yield* Deferred.make<void>()
  const holder = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`lock table ${sql.literal(table)} in share mode`
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(released)
      })
    )
  )
  yield* Deferred.await(held)
  return Effect.andThen(Deferred.succeed(released, undefined), Fiber.join(holder))
})

layer(TestServer, { excludeTestServices: true })("a note that has to wait", (it) => {
  it.effect.each(["cell.replay", "directory.token_use"])("holds nobody else: %s", (table) =>
    Effect.gen(function* () {
      const [one, other] = [yield* customer(), yield* customer()]
      const headers = { ...one.auth, "idempotency-key": "una" }
      const first = yield* sell(sold, headers)
      const release = yield* holding(table)
      const again = yield* Effect.all(
        Array.from({ length: 50 }, () => sell(sold, headers)),
        { concurrency: "unbounded" }
      )
      assert.isTrue(again.every(({ body }) => body.data.transaction_id === first.body.data.transaction_id))
      // Whoever has not called yet is looked up, and its use is to be noted too.
      assert.strictEqual((yield* sell(sold, other.auth)).status, 201)
      assert.strictEqual((yield* get("/v1/saldo", other.auth)).status, 200)
      yield* release
    })
  )
})
