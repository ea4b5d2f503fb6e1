import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { as, call, sell } from "./support/Calls.ts"
import { Audited, secret, TestService } from "./support/Service.ts"

const sale = { service_id: 1, identifier: "8095551234", amount: 100 }

layer(TestService, { excludeTestServices: true })("who is let in", (it) => {
  describe("credentials", () => {
    it.effect.each([
      [{}, 401],
      [{ authorization: "Bearer" }, 401],
      [{ authorization: "Bearer todo" }, 401],
      [{ authorization: `Basic todo.${secret}` }, 401],
      [{ authorization: `Bearer todo.${secret}.x` }, 401],
      [{ authorization: "Bearer todo.otro" }, 401],
      [{ authorization: `Bearer nadie.${secret}` }, 401],
      [{ "x-api-key": "todo" }, 401],
      [{ "x-api-key": "todo", "x-api-secret": secret }, 200],
      [{ "x-api-key": "todo", ...as("todo") }, 401],
      [{ "x-api-key": "todo", "x-api-secret": secret, ...as("todo") }, 200],
      [{ "x-api-key": "lector", "x-api-secret": secret, ...as("todo") }, 401],
      [as("suspendido"), 403],
      [as("otra_red"), 403],
      [as("lector"), 403],
      [{ ...as("otra_red"), "x-forwarded-for": "198.51.100.1, 203.0.113.9" }, 200],
      [{ ...as("otra_red"), "x-forwarded-for": "203.0.113.9, 198.51.100.1" }, 403]
    ] as ReadonlyArray<readonly [Record<string, string>, number]>)("%j -> %i", ([headers, status]) =>
      Effect.map(call("/v1/saldo", { headers }), (answer) => assert.strictEqual(answer.status, status))
    )

    it.effect("come before the body", () =>
      Effect.map(call("/v1/recargas", { method: "POST", body: "{" }), ({ body, headers, status }) => {
        assert.deepStrictEqual([status, body.error.code], [401, "UNAUTHENTICATED"])
        assert.match(headers.get("www-authenticate") ?? "", /^Bearer/)
      })
    )

    it.effect("of another company in the body are refused and remembered", () =>
      Effect.gen(function* () {
        const audited = yield* Audited
        const { body, status } = yield* sell({ empresa_id: 8, amount: "mal" })
        assert.deepStrictEqual([status, body.error.code], [403, "FORBIDDEN"])
        assert.deepStrictEqual(
          audited.map(({ action, details }) => [action, details]),
          [["foreign_company", { empresa_id: 8 }]]
        )
        const odd = yield* sell({ ...sale, empresa_id: "7" })
        assert.deepStrictEqual(odd.body.error.details, { empresa_id: "invalido" })
        assert.strictEqual((yield* sell({ ...sale, empresa_id: 7 })).status, 201)
      })
    )
  })

  describe("the rate limit", () => {
    it.effect("refuses a token's third call of two, and says when to come back", () =>
      Effect.gen(function* () {
        const calls = yield* Effect.replicateEffect(call("/v1/saldo", { headers: as("lento") }), 5)
        const refused = calls.filter(({ status }) => status === 429)
        // A minute of the clock may end between two of them.
        assert.include([1, 3], refused.length)
        for (const { body, headers } of refused) {
          assert.strictEqual(body.error.code, "RATE_LIMIT_EXCEEDED")
          assert.strictEqual(headers.get("retry-after"), String(body.error.details.retry_after))
          assert.deepStrictEqual([headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")], ["2", "0"])
        }
      })
    )

    it.effect.each([
      ["/v1/estado", {}],
      ["/v1/nada", {}],
      ["/v1/saldo", { authorization: "Bearer todo.mal" }],
      ["/trpc/nada", {}]
    ] as ReadonlyArray<readonly [string, Record<string, string>]>)("counts %s by address", ([path, headers]) =>
      Effect.gen(function* () {
        const from = { ...headers, "x-forwarded-for": `192.0.2.${path.length}` }
        const calls = yield* Effect.replicateEffect(call(path, { headers: from }), 11)
        assert.isAtLeast(calls.filter(({ status }) => status === 429).length, 1)
      })
    )
  })
})
