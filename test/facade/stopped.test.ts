import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { customer } from "../contract/support/Customer.ts"
import { another, TestServer } from "../contract/support/Server.ts"
import { eventually } from "../support/Eventually.ts"
import { holding } from "../support/Holding.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { sell } from "./support/Calls.ts"

layer(TestServer, { excludeTestServices: true })("a server that stops", (it) => {
  it.effect("tells a call that has no end to ask later, in the envelope", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const sql = yield* PgClient.PgClient
      const { auth, companyId } = yield* customer()
      const life = yield* Scope.make()
      const at = yield* Scope.provide(another(), life)
      const { release } = yield* holding(`select from cell.balance where company_id = ${companyId} for update`)
      const call = yield* Effect.forkChild(at(sell({ service_id: 7, amount: 100, identifier: "204510003" }, auth)))
      yield* eventually(sql`select from pg_locks where not granted`, (waiting) => waiting.length > 0)
      const stopping = yield* Effect.forkChild(Scope.close(life, Exit.void))
      yield* eventually(
        Effect.map(pass("5 seconds"), () => call.pollUnsafe()),
        (answer) => answer !== undefined
      )
      const { body, headers, status } = yield* Fiber.join(call)
      assert.deepStrictEqual([status, body.error.code], [500, "INTERNAL_ERROR"])
      assert.strictEqual(body.request_id, headers.get("x-request-id"))
      yield* release
      yield* Fiber.join(stopping)
    })
  )
})
