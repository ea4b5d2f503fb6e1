import { randomUUID } from "node:crypto"
import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import * as Database from "../../adapters/postgres/Database.ts"
import { migrate } from "../../adapters/postgres/Migrations.ts"
import { copyDatabase } from "../support/PostgresDatabases.ts"

const files = readdirSync(new URL("../../sql/", import.meta.url), { recursive: true }).filter((name) =>
  /\.sql$/.test(String(name))
)

describe("replicas that start at once on an empty database", () => {
  it.live("migrate it once", () =>
    Effect.gen(function* () {
      const url = yield* copyDatabase(inject("postgresUrl"), "template0", `bare_${randomUUID()}`)
      const replica = Layer.fresh(Database.layer({ url: Redacted.make(url), connections_max: 1 }))
      const applied = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => Effect.provide(migrate, replica), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(applied.map(({ length }) => length).sort(), [0, 0, 0, 0, 0, files.length])
    })
  )
})
