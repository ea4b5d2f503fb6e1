import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { freshDatabaseUrl } from "../support/Database.ts"
import { copyDatabase } from "../support/EmbeddedDatabases.ts"
import { ended, saldo, serving } from "../support/SaldoProcess.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"
import { timeout_ms } from "./Timeout.ts"

interface Report {
  readonly ok: boolean
  readonly comprobaciones: ReadonlyArray<{ readonly nombre: string; readonly ok: boolean; readonly detalle: string }>
}

const DATA_KEY = "0a".repeat(32)

/** The exit code, and what the doctor finds wrong. */
const examined = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const doctor = yield* saldo(["doctor", "--json"], environment)
  const code = yield* ended(doctor)
  const report: Report = JSON.parse(doctor.stdout())
  assert.strictEqual(report.ok, code === 0)
  return { code, wrong: report.comprobaciones.flatMap(({ nombre, ok }) => (ok ? [] : [nombre])) }
})

describe("the doctor", { timeout: timeout_ms }, () => {
  it.live("finds nothing wrong with an installation that serves", () =>
    Effect.gen(function* () {
      const environment = { DATA_DIR: yield* temporaryDirectory }
      yield* serving(environment)
      assert.deepStrictEqual(yield* examined(environment), { code: 0, wrong: [] })
    })
  )

  // The server of the tests does without fsync.
  it.live("finds a server that could lose what it was told to keep", () =>
    Effect.gen(function* () {
      const environment = { DATABASE_URL: yield* freshDatabaseUrl, DATA_KEY }
      assert.deepStrictEqual(yield* examined(environment), { code: 1, wrong: ["durability"] })
    })
  )

  it.live("finds personal data that DATA_KEY alone opens, where that is absent", () =>
    Effect.gen(function* () {
      const environment = { DATABASE_URL: yield* freshDatabaseUrl }
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability"])
      // Looking makes no key; a command that needs one does, and keeps it by what it is given.
      assert.strictEqual(yield* ended(yield* saldo(["company", "list"], { ...environment, DATA_KEY })), 0)
      assert.deepStrictEqual((yield* examined({ ...environment, DATA_KEY })).wrong, ["durability"])
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability", "personal data"])
    })
  )

  it.live("finds a schema that is behind, until it is migrated", () =>
    Effect.gen(function* () {
      const environment = {
        DATABASE_URL: yield* copyDatabase(inject("postgresUrl"), "template0", `bare_${randomUUID()}`),
        DATA_KEY
      }
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability", "migrations"])
      assert.strictEqual(yield* ended(yield* saldo(["migrate"], environment)), 0)
      assert.deepStrictEqual((yield* examined(environment)).wrong, ["durability"])
    })
  )

  it.live.each([
    ["settings", { PORT: "x" }],
    ["database", { DATABASE_URL: "postgres://u:p@127.0.0.1:1/x" }]
  ] as const)("finds wrong %s", ([name, environment]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* examined(environment), { code: 1, wrong: [name] })
    })
  )
})
