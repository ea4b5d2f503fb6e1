import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine, commandLineOn } from "../../support/CommandLine.ts"
import { testDatabaseUrl } from "../../support/Database.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"

const named = (code: string) => ["--razon-social", code, "--codigo", code, "--ambiente", "development"]

layer(CommandLine.layer, { excludeTestServices: true, timeout: "2 minutes" })("a cell", (it) => {
  /** The commands with the address of the login that owns the database. */
  const asOwner = Effect.map(testDatabaseUrl, (url) =>
    commandLineOn(asLoginIn("saldo_operator", url), { MIGRATION_DATABASE_URL: url })
  )

  const shown = Effect.fnUntraced(function* () {
    const { answer } = yield* CommandLine
    const { items } = yield* answer("cell", "list")
    return items.map(({ celda, empresas, estado, nodo }: Record<string, unknown>) => [celda, estado, empresas, nodo])
  })

  it.effect("is added only by the login that owns the database", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { code, details, exit } = yield* refusal("cell", "add", "norte")
      assert.deepStrictEqual([exit, code, details], [1, "CELL_NOT_ADDED", { celda: "norte", motivo: "login" }])
      assert.deepStrictEqual(yield* shown(), [["cell", "abierta", 0, "main"]])
    })
  )

  it.effect("has a name that is free and valid", () =>
    Effect.gen(function* () {
      const { refusal } = yield* asOwner
      for (const name of ["Norte", "n", "1a", "pg_norte", "a-b", "a".repeat(32)]) {
        assert.strictEqual((yield* refusal("cell", "add", name)).exit, 2, name)
      }
      for (const name of ["directory", "public"]) {
        assert.strictEqual((yield* refusal("cell", "add", name)).code, "CELL_NAME_TAKEN", name)
      }
    })
  )

  it.effect("is added once, with its tables and ids, and the next companies are created in it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { answer } = yield* asOwner
      const first = yield* answer("company", "create", ...named("UNA"))
      assert.deepStrictEqual(yield* answer("cell", "add", "norte"), { celda: "norte", nodo: "main", creada: true })
      assert.deepStrictEqual(yield* answer("cell", "add", "norte"), { celda: "norte", nodo: "main", creada: false })
      const [{ id } = { id: 0 }] = yield* sql<{ id: number }>`select nextval('norte.transaction_id')::int as id`
      assert.strictEqual(id % 256, 1)
      const second = yield* answer("company", "create", ...named("DOS"))
      const third = yield* answer("company", "create", ...named("TRES"), "--cell", "cell")
      const cells = yield* Effect.forEach([first, second, third], ({ empresa_id }) =>
        Effect.map(answer("company", "show", `${empresa_id}`), ({ celda }) => celda)
      )
      assert.deepStrictEqual(cells, ["cell", "norte", "cell"])
      assert.deepStrictEqual(yield* shown(), [
        ["cell", "abierta", 2, "main"],
        ["norte", "abierta", 1, "main"]
      ])
    })
  )

  it.effect("that is closed refuses deposits, changed settings and new companies until it is open again", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const items = (yield* answer("company", "list")).items
      const company = `${items.find(({ celda }: { readonly celda: string }) => celda === "norte").empresa_id}`
      const closed = yield* answer("cell", "close", "norte")
      assert.deepStrictEqual(closed, { celda: "norte", estado: "cerrada", cambiada: true })
      assert.strictEqual((yield* answer("cell", "close", "norte")).cambiada, false)
      const deposit = ["company", "deposit", company, "100", "--referencia", "B-1"]
      assert.strictEqual((yield* refusal(...deposit)).code, "COMPANY_CLOSED")
      assert.strictEqual((yield* refusal("company", "set", company, "--limite-diario", "5")).code, "COMPANY_CLOSED")
      const create = ["company", "create", ...named("CUATRO")]
      assert.strictEqual((yield* refusal(...create, "--cell", "norte")).code, "CELL_NOT_OPEN")
      assert.strictEqual((yield* refusal(...create, "--cell", "sur")).code, "CELL_NOT_OPEN")
      const { empresa_id } = yield* answer(...create)
      assert.strictEqual((yield* answer("company", "show", `${empresa_id}`)).celda, "cell")
      assert.strictEqual((yield* answer("cell", "open", "norte")).cambiada, true)
      assert.strictEqual((yield* answer("cell", "open", "norte")).cambiada, false)
      yield* answer(...deposit)
    })
  )

  it.effect("that does not exist is neither closed nor opened", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      for (const verb of ["close", "open"]) {
        assert.strictEqual((yield* refusal("cell", verb, "oeste")).code, "CELL_NOT_FOUND")
      }
    })
  )

  it.effect("has its changes in the audit log", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const events = yield* sql<{ action: string }>`
        select action from directory.audit_event where details ->> 'cell' = 'norte' and action like 'cell_%' order by id`
      assert.deepStrictEqual(
        events.map(({ action }) => action),
        ["cell_asked", "cell_asked", "cell_added", "cell_asked", "cell_closed", "cell_opened"]
      )
    })
  )
})
