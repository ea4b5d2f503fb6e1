import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { MovePauses } from "../../../core/workflows/MoveCompany.ts"
import { CommandLine, commandLineOn } from "../../support/CommandLine.ts"
import { testDatabaseUrl } from "../../support/Database.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"

/** The commands, without the pauses of a move. */
const commands = Effect.map(CommandLine, (line) => {
  const atOnce = Effect.provideService(MovePauses, { directory: Duration.zero, inFlight_max: Duration.zero })
  return {
    answer: (...args: ReadonlyArray<string>) => atOnce(line.answer(...args)),
    refusal: (...args: ReadonlyArray<string>) => atOnce(line.refusal(...args))
  }
})

layer(CommandLine.layer, { excludeTestServices: true, timeout: "2 minutes" })("saldo company move", (it) => {
  it.effect("moves a company with its statement and its balance", () =>
    Effect.gen(function* () {
      const url = yield* testDatabaseUrl
      const owner = commandLineOn(asLoginIn("saldo_operator", url), { MIGRATION_DATABASE_URL: url })
      for (const cell of ["norte", "sur"]) yield* owner.answer("cell", "add", cell)
      const { answer } = yield* commands
      const code = ["--razon-social", "Una", "--codigo", "UNA", "--ambiente", "development", "--cell", "cell"]
      const { empresa_id } = yield* answer("company", "create", ...code)
      const id = `${empresa_id}`
      for (const reference of ["B-1", "B-2"]) yield* answer("company", "deposit", id, "100", "--referencia", reference)
      const statement = yield* answer("company", "statement", id)
      const { celda, ...shown } = yield* answer("company", "show", id)
      assert.strictEqual(celda, "cell")
      const { filas, ...moved } = yield* answer("company", "move", id, "--to", "norte")
      const places = { celda_anterior: "cell", celda: "norte" }
      assert.deepStrictEqual(moved, { empresa_id, ...places, movida: true, nodo_perdido: null })
      assert.isAbove(filas, 4)
      assert.deepStrictEqual(yield* answer("company", "statement", id), statement)
      const { celda: cell, ...same } = yield* answer("company", "show", id)
      assert.deepStrictEqual([cell, same], ["norte", shown])
      const again = yield* answer("company", "move", id, "--to", "norte")
      assert.deepInclude(again, { celda_anterior: "norte", celda: "norte", movida: false, filas: null })
      yield* answer("company", "deposit", id, "50", "--referencia", "B-3")
      const [audit] = yield* Effect.map(answer("audit"), (result) => [result.ok])
      assert.isTrue(audit)
    })
  )

  it.effect("refuses cells and companies that do not exist, and a closed cell", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* commands
      assert.strictEqual((yield* refusal("company", "move", "1", "--to", "oeste")).code, "CELL_NOT_FOUND")
      assert.strictEqual((yield* refusal("company", "move", "99", "--to", "cell")).code, "COMPANY_NOT_FOUND")
      assert.strictEqual((yield* refusal("company", "move", "1")).exit, 2)
      yield* answer("cell", "close", "cell")
      assert.strictEqual((yield* refusal("company", "move", "1", "--to", "cell")).code, "CELL_NOT_OPEN")
      yield* answer("cell", "open", "cell")
    })
  )

  it.effect("names the unfinished move of another command, and the commands that end that move", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { answer, refusal } = yield* commands
      yield* sql`
        insert into directory.company_move (company_id, source, target, begun_at) values (1, 'norte', 'sur', now())`
      const { code, details, message } = yield* refusal("company", "move", "1", "--to", "cell")
      assert.deepStrictEqual(
        [code, details],
        ["COMPANY_MOVING", { empresa_id: 1, celda_anterior: "norte", celda: "sur", motivo: "other" }]
      )
      assert.include(message, "saldo company move 1 --to sur")
      assert.include(message, "saldo company move 1 --to norte")
      assert.isFalse((yield* answer("company", "move", "1", "--to", "norte")).movida)
      assert.deepStrictEqual(yield* sql`select from directory.company_move`, [])
    })
  )

  it.effect("is in the audit log", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const events = yield* sql`
        select action, via, details from directory.audit_event where action like 'company_move%' order by id`
      const details = { from: "cell", to: "norte" }
      assert.deepStrictEqual(events, [
        { action: "company_move_begun", via: "cli", details },
        { action: "company_moved", via: "cli", details },
        { action: "company_move_abandoned", via: "cli", details: { from: "norte", to: "sur" } }
      ])
    })
  )
})
