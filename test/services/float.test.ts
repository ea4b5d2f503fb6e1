import { assert, describe, it, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import * as HttpProvider from "../../adapters/provider/HttpProvider.ts"
import { simulatedProvider } from "../../adapters/provider/SimulatedProvider.ts"
import { FloatAnswer, floatState, isFloatLow, sumByUnit } from "../../core/domain/Float.ts"
import { withDtOne } from "./support/DtOneWorld.ts"
import { gatewayAt, Outside, startProvider, unusedAddress, withLogLines } from "./support/Gateways.ts"

const { NoAnswer, NotOffered, Read } = FloatAnswer

// The float is our balance with a provider.
describe("the float at DT One", () => {
  it.effect("consists of the balances of the account, each in its own unit", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* provider.float,
          Read({ balances: [{ unit: "USD", available: 1234.56789, held: 10.5 }] })
        )
        assert.deepStrictEqual(
          fake.requests.map(({ method, path }) => `${method} ${path}`),
          ["GET /v1/balances"]
        )
      })
    )
  )

  it.effect("is unknown if DT One's answer is unreadable or an error", () =>
    withDtOne(({ fake, provider }) =>
      Effect.gen(function* () {
        fake.balances = [{ unit: "USD", available: "1", holding: 0 }]
        assert.deepStrictEqual(yield* provider.float, NoAnswer())
        fake.failNext("", 500, 1000500)
        assert.deepStrictEqual(yield* provider.float, NoAnswer())
      })
    )
  )

  it.effect("is unknown with a wrong secret", () =>
    withDtOne(({ provider }) => Effect.map(provider.float, (answer) => assert.deepStrictEqual(answer, NoAnswer())), {
      secret: "otro"
    })
  )
})

layer(Outside)("the float at an HTTP gateway", (it) => {
  it.effect("is the gateway's balance in pesos", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      assert.deepStrictEqual(
        yield* provider.float,
        Read({ balances: [{ unit: "DOP", available: 50_000.5, held: 100 }] })
      )
      gateway.balance.reply = { status: 200, body: { currency: "DOP", available_centavos: -100 } }
      assert.deepStrictEqual(yield* provider.float, Read({ balances: [{ unit: "DOP", available: -1, held: 0 }] }))
    })
  )

  it.effect.each([404, 405, 501])(
    "counts as not offered, and no error is logged, if the gateway answers %i",
    (status) =>
      Effect.gen(function* () {
        const { gateway, provider } = yield* startProvider
        gateway.replyNext("balance", { status, body: { message: "no such path" } })
        const { answer, lines } = yield* withLogLines(provider.float)
        assert.deepStrictEqual([answer, lines], [NotOffered(), []])
      })
  )

  it.effect.each([
    ["a refused signature", { status: 401, body: { outcome: "not_processed" } }],
    ["a failure", { status: 503, body: {} }],
    ["another currency", { status: 200, body: { currency: "USD", available_centavos: 1 } }],
    ["no amount", { status: 200, body: { currency: "DOP" } }]
  ] as const)("is unknown after %s", ([, reply]) =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      gateway.replyNext("balance", reply)
      assert.deepStrictEqual(yield* provider.float, NoAnswer())
    })
  )

  it.effect("is unknown if the gateway cannot be reached", () =>
    Effect.gen(function* () {
      const provider = yield* HttpProvider.make(gatewayAt(unusedAddress))
      assert.deepStrictEqual(yield* provider.float, NoAnswer())
    })
  )
})

describe("the float", () => {
  it.effect("of the simulator is a million pesos", () =>
    Effect.map(simulatedProvider.float, (answer) =>
      assert.deepStrictEqual(answer, Read({ balances: [{ unit: "DOP", available: 1_000_000, held: 0 }] }))
    )
  )

  it("is summed separately for each unit", () => {
    const dollars = { unit: "USD", available: 1.5, held: 1 }
    assert.deepStrictEqual(sumByUnit([dollars, { unit: "EUR", available: 3, held: 0 }, dollars]), [
      { unit: "USD", available: 3, held: 2 },
      { unit: "EUR", available: 3, held: 0 }
    ])
  })

  it.each([
    [99.99, { amount: 100, unit: null }, true],
    [100, { amount: 100, unit: null }, false],
    [99.99, { amount: 100, unit: "USD" }, true],
    [99.99, { amount: 100, unit: "DOP" }, false],
    [-1, null, false]
  ] as const)("of %d USD with the alert %j is low: %s", (available, alert, low) => {
    assert.strictEqual(isFloatLow({ unit: "USD", available, held: 0 }, alert), low)
  })

  const now = DateTime.makeUnsafe("2026-03-01T12:00:00Z")
  const minutesAgo = (minutes: number) => DateTime.subtract(now, { minutes })

  it.each([
    ["actual", minutesAgo(15), null],
    ["actual", minutesAgo(5), minutesAgo(10)],
    ["antigua", minutesAgo(16), null],
    ["fallida", minutesAgo(10), minutesAgo(5)],
    ["fallida", null, minutesAgo(1)]
  ] as const)("is %s", (state, readAt, failedAt) => {
    assert.strictEqual(floatState({ readAt, failedAt }, now, Duration.minutes(15)), state)
  })
})
