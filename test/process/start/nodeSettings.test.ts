import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer, Redacted, Schedule } from "effect"
import { inject } from "vitest"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { Settings } from "../../../facade/settings/Settings.ts"
import { commandLineOn, servingHere } from "../../support/CommandLine.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { copyDatabase } from "../../support/EmbeddedDatabases.ts"
import { eventually } from "../../support/Eventually.ts"
import { timeout_ms } from "../../support/FirstStart.ts"

describe("the nodes of cells", () => {
  const nodesIn = (env: Record<string, string>) =>
    Layer.build(Settings.layer).pipe(
      Effect.map((context) => Context.get(context, Settings).nodes),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
      Effect.scoped
    )

  it.effect("have the names and the addresses that their variables give", () =>
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

/** A server that has a cell on another node. Returns the address of its operations port. */
const operationsPort = Effect.fnUntraced(function* (isNodeUp: boolean) {
  const url = yield* freshDatabaseUrl
  const node = `test_${randomUUID()}`
  const environment = { CELL_NODE_ESTE_URL: yield* copyDatabase(inject("postgresUrl"), "template0", node) }
  const { answer } = commandLineOn(url, environment)
  yield* answer("cell", "add", "sur", "--node", "este")
  if (!isNodeUp) {
    yield* PgClient.PgClient.use((sql) => sql`alter database ${sql(node)} allow_connections false`).pipe(
      Effect.provide(Database.layer({ url: Redacted.make(url), connections_max: 1 }))
    )
  }
  const { stdout } = yield* servingHere({ DATABASE_URL: url, OPS_PORT: "0", ...environment })
  return /metrics +(\S+)/.exec(stdout)?.[1] ?? assert.fail(stdout)
})

const statusOf = (url: URL) => Effect.promise(async () => (await fetch(url)).status)

describe("a server with a cell on another node", { timeout: timeout_ms }, () => {
  it.live.each([
    ["answers", true, "1"],
    ["does not answer", false, "0"]
  ] as const)("is ready while the node %s", ([, isNodeUp, up]) =>
    Effect.gen(function* () {
      const operations = yield* operationsPort(isNodeUp)
      yield* Effect.repeat(statusOf(new URL("/readyz", operations)), {
        until: (status) => status === 200,
        schedule: Schedule.spaced("100 millis")
      })
      const metrics = Effect.promise(async () => (await fetch(operations)).text())
      // A read of the databases gives no value for the cell if it takes longer than its timeout.
      yield* eventually(metrics, (text) => text.includes(`saldo_cell_up{cell="sur"} ${up}`))
    })
  )
})
