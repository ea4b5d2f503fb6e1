import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer, Redacted } from "effect"
import { Settings } from "../../../facade/settings/Settings.ts"

describe("the nodes of cells", () => {
  const nodesIn = (env: Record<string, string>) =>
    Layer.build(Settings.layer).pipe(
      Effect.map((context) => Context.get(context, Settings).nodes),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
      Effect.scoped
    )

  it.effect("have the names and the addresses of their variables", () =>
    Effect.gen(function* () {
      const nodes = yield* nodesIn({
        CELL_NODE_ESTE_URL: "postgres://a@este/saldo",
        CELL_NODE_ESTE_MIGRATION_URL: "postgres://owner@este/saldo",
        CELL_NODE_OESTE2_URL: "postgres://a@oeste/saldo",
        CELL_NODE_SUR_URL: ""
      })
      const urls = [...nodes].map(([name, { migrationUrl, url }]) => [
        name,
        Redacted.value(url),
        migrationUrl === null ? null : Redacted.value(migrationUrl)
      ])
      assert.deepStrictEqual(urls, [
        ["este", "postgres://a@este/saldo", "postgres://owner@este/saldo"],
        ["oeste2", "postgres://a@oeste/saldo", null]
      ])
    })
  )

  it.effect("are refused in one line each if the name or the address is wrong", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(nodesIn({ CELL_NODE_MAIN_URL: "postgres://a@este/saldo", PORT: "seven" }))
      assert.deepStrictEqual(
        message
          .split("\n")
          .map((line) => line.split(" ")[0])
          .sort(),
        ["CELL_NODE_MAIN_URL", "PORT"]
      )
      const wrong = yield* Effect.flip(nodesIn({ CELL_NODE_ESTE_URL: "este" }))
      assert.match(wrong.message, /^CELL_NODE_ESTE_URL is a value that is not shown; it must be an address/)
    })
  )
})
