import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../facade/support/Calls.ts"
import { another, TestServer } from "./support/Server.ts"

layer(TestServer, { excludeTestServices: true })("/v1/info", (it) => {
  it.effect.each([
    [{}, "production"],
    [{ ENVIRONMENT: "" }, "production"],
    [{ ENVIRONMENT: "ensayo_2-Sur" }, "ensayo_2-Sur"],
    [{ ENVIRONMENT: "e".repeat(32) }, "e".repeat(32)]
  ] as const)("with %j calls the deployment %s", ([environment, name]) =>
    Effect.gen(function* () {
      const there = yield* another(environment)
      const { body, status } = yield* there(call("/v1/info"))
      assert.deepStrictEqual([status, body.data.environment], [200, name])
    })
  )
})
