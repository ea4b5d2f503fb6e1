import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { input } from "../../../facade/api/Input.ts"
import { query } from "../../../facade/api/Procedure.ts"
import { endpoints } from "../../../facade/api/Procedures.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import { callEndpoint, endpointPaths } from "../../support/service/Endpoints.ts"
import { as, call, post, sell } from "../../support/service/HttpCalls.ts"
import { Audited, secret, TestService } from "../../support/service/InMemoryService.ts"

const sale = { service_id: 1, identifier: "8095551234", amount: 100 }

/** "in" for an admitted caller, otherwise the status of the rejection. */
const admissionOf = ({ status }: ApiResponse) => (status === 401 || status === 403 ? status : "in")

describe("a procedure", () => {
  it("does not compile without a gate", () => {
    const definition = {
      input: input({}),
      output: Schema.String,
      meta: { path: "/v1/cuenta/secreta", summary: "Secreto", tag: "Cuenta" },
      handle: () => Effect.succeed("secret")
    } as const
    // @ts-expect-error: the gate is missing
    query(definition)
    assert.notProperty(definition, "gate")
  })

  it("needs no credentials only where the contract says so", () => {
    const open = endpoints.filter(({ procedure }) => procedure.gate.permission === null).map(({ name }) => name)
    assert.deepStrictEqual(open, ["sistema.estado", "sistema.info"])
  })
})

layer(TestService, { excludeTestServices: true })("admission", (it) => {
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
      [{ "x-api-key": "", "x-api-secret": secret }, 401],
      [{ "x-api-key": "todo", "x-api-secret": "" }, 401],
      [{ "x-api-key": "todo", "x-api-secret": secret }, 200],
      [{ "x-api-key": "todo", ...as("todo") }, 401],
      [{ "x-api-key": "todo", "x-api-secret": secret, ...as("todo") }, 200],
      [{ "x-api-key": "lector", "x-api-secret": secret, ...as("todo") }, 401],
      [as("suspendido"), 403],
      [as("otra_red"), 403],
      [as("lector"), 403],
      [{ ...as("otra_red"), "x-forwarded-for": "198.51.100.1, 203.0.113.9" }, 200],
      [{ ...as("otra_red"), "x-forwarded-for": "203.0.113.9, 198.51.100.1" }, 403]
    ] as ReadonlyArray<readonly [Record<string, string>, number]>)("%j are answered with %i", ([headers, status]) =>
      Effect.map(call("/v1/saldo", { headers }), (answer) => assert.strictEqual(answer.status, status))
    )

    it.effect("are checked before the body", () =>
      Effect.map(call("/v1/recargas", { method: "POST", body: "{" }), ({ body, headers, status }) => {
        assert.deepStrictEqual([status, body.error.code], [401, "UNAUTHENTICATED"])
        assert.match(headers.get("www-authenticate") ?? "", /^Bearer/)
      })
    )

    it.effect("are rejected and audited when the body names another company", () =>
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

  describe("REST and tRPC", () => {
    const typeOf = (name: string) => endpoints.find((endpoint) => endpoint.name === name)?.procedure.type

    const byTrpc = (name: string, headers: Record<string, string>) =>
      typeOf(name) === "query" ? call(`/trpc/${name}`, { headers }) : post(`/trpc/${name}`, {}, headers)

    it.effect.each(endpoints.map(({ name }) => name))("admit the same callers to %s", (name) =>
      Effect.gen(function* () {
        const ways = endpointPaths.filter(({ endpoint }) => endpoint.name === name)
        const [way] = ways
        assert(way !== undefined, "no REST endpoint has this procedure")
        const needed = way.endpoint.procedure.gate.permission
        for (const [headers, expected] of [
          [{ authorization: "" }, needed === null ? "in" : 401],
          [as("nadie"), needed === null ? "in" : 401],
          [as("lector"), needed === null || needed === "transactions.read" ? "in" : 403]
        ] as const) {
          assert.strictEqual(admissionOf(yield* byTrpc(name, headers)), expected)
          for (const route of ways) assert.strictEqual(admissionOf(yield* callEndpoint(route, headers)), expected)
        }
      })
    )
  })

  describe("the rate limit", () => {
    it.effect("rejects the third call of a token that may make two a minute, with the seconds to wait", () =>
      Effect.gen(function* () {
        const calls = yield* Effect.replicateEffect(call("/v1/saldo", { headers: as("lento") }), 5)
        const refused = calls.filter(({ status }) => status === 429)
        assert.strictEqual(refused.length, 3)
        for (const { body, headers } of refused) {
          assert.strictEqual(body.error.code, "RATE_LIMIT_EXCEEDED")
          assert.strictEqual(headers.get("retry-after"), String(body.error.details.retry_after))
          assert.deepStrictEqual([headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")], ["2", "0"])
        }
      })
    )

    it.effect.each([
      ["/v1/estado", "192.0.2.1", {}],
      ["/v1/nada", "192.0.2.2", {}],
      ["/v1/saldo", "192.0.2.3", { authorization: "Bearer todo.mal" }],
      ["/trpc/nada", "192.0.2.4", {}]
    ] as ReadonlyArray<readonly [string, string, Record<string, string>]>)(
      "counts calls to %s by client address",
      ([path, address, headers]) =>
        Effect.gen(function* () {
          const from = { ...headers, "x-forwarded-for": address }
          const calls = yield* Effect.replicateEffect(call(path, { headers: from }), 7)
          assert.deepStrictEqual(
            calls.map(({ status }) => status === 429),
            [false, false, false, false, false, true, true]
          )
        })
    )
  })
})
