import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { addCell } from "../../adapters/postgres/schema/AddCell.ts"
import { freshDatabaseUrl } from "../support/Database.ts"
import { copyDatabase } from "../support/EmbeddedDatabases.ts"
import { connectionsTo, nodeAt } from "../support/NodeCells.ts"
import { NodeUrl } from "./TwoNodes.ts"

/** A database with the first cell, and an empty database that is a node. */
const TestLayer = Layer.unwrap(
  Effect.gen(function* () {
    const url = Redacted.make(yield* freshDatabaseUrl)
    const nodeUrl = yield* copyDatabase(inject("postgresUrl"), "template0", `test_${randomUUID()}`)
    return Layer.mergeAll(
      Database.layer({ url, connections_max: 2 }),
      nodeAt("este", nodeUrl),
      Layer.succeed(NodeUrl, nodeUrl)
    )
  })
).pipe(Layer.orDie)

/** Runs a statement on the node. */
const onNode = (statement: string) =>
  NodeUrl.use((url) =>
    PgClient.PgClient.use((sql) => sql.unsafe(statement).unprepared).pipe(
      Effect.provide(connectionsTo(Redacted.make(url)))
    )
  )

const forget = (cell: string) => PgClient.PgClient.use((sql) => sql`delete from directory.cell where name = ${cell}`)

layer(TestLayer, { excludeTestServices: true })("a cell on another node", (it) => {
  it.effect("is created again when the command is repeated, with ids that no other cell has", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* addCell("sur", "este"), "added")
      // The state is as if the process had died before the directory listed the cell, and another cell had been added.
      yield* forget("sur")
      assert.strictEqual(yield* addCell("norte", "main"), "added")
      assert.strictEqual(yield* addCell("sur", "este"), "added")
      assert.strictEqual(yield* addCell("sur", "este"), "known")
      const sql = yield* PgClient.PgClient
      const cells = yield* sql`select name, ordinal, node from directory.cell order by ordinal`
      assert.deepStrictEqual(cells, [
        { name: "cell", ordinal: 0, node: "main" },
        { name: "norte", ordinal: 1, node: "main" },
        { name: "sur", ordinal: 2, node: "este" }
      ])
      const ids = yield* onNode("select (nextval('sur.transaction_id') % 256)::int as remainder")
      assert.deepStrictEqual(ids, [{ remainder: 2 }])
    })
  )

  it.effect("is refused if its name belongs to a cell with rows, or to a schema that is no cell", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* addCell("oeste", "este"), "added")
      yield* onNode("insert into oeste.balance (company_id, available, updated_at) values (7, 0, now())")
      yield* forget("oeste")
      assert.strictEqual(yield* addCell("oeste", "este"), "taken")
      assert.lengthOf(yield* onNode("select from oeste.balance"), 1)
      yield* onNode("create schema informes create table ventas (id int)")
      assert.strictEqual(yield* addCell("informes", "este"), "taken")
      assert.lengthOf(yield* onNode("select from pg_tables where schemaname = 'informes'"), 1)
    })
  )
})
