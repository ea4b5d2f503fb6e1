import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createClient, isSaldoError } from "../../facade/client/index.ts"
import { ManualClock, ServiceAddress } from "../support/InProcessService.ts"
import { customer } from "../support/service/CustomerCompany.ts"
import { secret } from "../support/service/InMemoryService.ts"
import { TestServer } from "../support/service/TestServer.ts"

layer(TestServer, { excludeTestServices: true })("vender, with the key of a sale that was made a day ago,", (it) => {
  it.effect.each([
    ["8095551233", "SUCCESS", true],
    ["8095551230", "FAILED", false]
  ] as const)(
    "throws, and reports for the sale to %s (%s) whether it may exist: %s",
    ([identifier, status, mayExist]) =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { url } = yield* ServiceAddress
        const { apiKey } = yield* customer()
        const { vender } = createClient({ url, apiKey, apiSecret: secret })
        const sale = { service_id: 1, identifier, amount: 50, idempotency_key: randomUUID() }
        const sold = yield* Effect.promise(() => vender(sale))
        assert.strictEqual(sold.status, status)
        yield* pass("25 hours")
        const failure = yield* Effect.promise(() => vender(sale).catch((error: unknown) => error))
        if (!isSaldoError(failure) || failure.code !== "IDEMPOTENCY_CONFLICT") return assert.fail(String(failure))
        assert.deepStrictEqual(
          [failure.details.transaction_id, failure.details.status, failure.outcomeUnknown],
          [sold.transaction_id, status, mayExist]
        )
      })
  )
})
