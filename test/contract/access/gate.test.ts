import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { input } from "../../../facade/api/Input.ts"
import { query } from "../../../facade/api/Procedure.ts"
import { endpoints } from "../../../facade/api/Procedures.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import { callEndpoint, endpointPaths } from "../../support/service/Endpoints.ts"
import { as, call, post } from "../../support/service/HttpCalls.ts"
import { TestService } from "../../support/service/InMemoryService.ts"

/** Status of a call that was rejected with 401 or 403; "in" for any other response. */
const admissionOf = ({ status }: ApiResponse) => (status === 401 || status === 403 ? status : "in")

describe("a procedure", () => {
  it("does not compile without a gate, which is its access check", () => {
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

  it("requires credentials unless the contract exempts it", () => {
    const open = endpoints.filter(({ procedure }) => procedure.gate.permission === null).map(({ name }) => name)
    assert.deepStrictEqual(open, ["sistema.estado", "sistema.info"])
  })
})

layer(TestService, { excludeTestServices: true })("the API", (it) => {
  const typeOf = (name: string) => endpoints.find((endpoint) => endpoint.name === name)?.procedure.type

  const byTrpc = (name: string, headers: Record<string, string>) =>
    typeOf(name) === "query" ? call(`/trpc/${name}`, { headers }) : post(`/trpc/${name}`, {}, headers)

  it.effect.each(endpoints.map(({ name }) => name))("admits the same callers to %s over REST and tRPC", (name) =>
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
