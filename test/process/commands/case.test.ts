import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { CommandLine } from "../../support/CommandLine.ts"
import { comparison, soldOn } from "../support/StatementFiles.ts"

const statementOf = (xid: string, amount: string, day: string) =>
  `xid,status,amount,date\n${xid},success,${amount},${day}\n`

/** A sale of 1.00, and a statement with 2.00 for it. Returns the statement, the day and the case. */
const found = Effect.fnUntraced(function* (day: string) {
  const company = yield* soldOn(day, ["a", 100, "SUCCESS"])
  const xid = `RD-${company}-a`
  const content = statementOf(xid, "2", day)
  const { items } = yield* comparison(content)
  return { xid, content, id: `${items[0].caso_id}` }
})

const actions = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ action: string; id: number }>`
    select action, (details ->> 'caseId')::int as id
    from directory.audit_event
    where action like 'case_%'
    order by id`
  return rows
})

layer(CommandLine.layer, { excludeTestServices: true })("a case", (it) => {
  it.effect(
    "is opened by the first comparison of a file, and stays the same case when the file is compared again",
    () =>
      Effect.gen(function* () {
        const { answer } = yield* CommandLine
        const { content, id, xid } = yield* found("2026-02-01")
        const again = yield* comparison(content)
        assert.deepStrictEqual([again.code, again.casos], [1, { nuevos: 0, reabiertos: 0, ya_no_aparecen: 0 }])
        assert.strictEqual(`${again.items[0].caso_id}`, id)
        const shown = yield* answer("case", "show", id)
        const { estado, notas, nuestro, referencia, suyo, tipo, ya_no_aparece } = shown
        assert.deepStrictEqual(
          [estado, tipo, referencia, notas, ya_no_aparece],
          ["abierto", "otro_monto", xid, [], null]
        )
        assert.deepStrictEqual([nuestro.monto, nuestro.fecha, suyo.monto], [1, "2026-02-01 12:00:00", 2])
      })
  )

  it.effect("shows which operators noted and closed it, and their reasons", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { content, id } = yield* found("2026-02-02")
      assert.strictEqual((yield* answer("case", "note", id, "--nota", "Preguntado a DT One")).estado, "anotado")
      yield* answer("case", "note", id, "--nota", "Sin respuesta")
      const closed = yield* answer("case", "close", id, "--nota", "Acreditado")
      assert.strictEqual(closed.estado, "cerrado")
      assert.deepStrictEqual(
        closed.notas.map(({ estado, nota, operador }: Record<string, unknown>) => [estado, nota, operador]),
        [
          ["anotado", "Preguntado a DT One", "local"],
          ["anotado", "Sin respuesta", "local"],
          ["cerrado", "Acreditado", "local"]
        ]
      )
      for (const action of ["note", "close"]) {
        const refused = yield* refusal("case", action, id, "--nota", "Otra vez")
        assert.deepStrictEqual([refused.exit, refused.code], [1, "CASE_CLOSED"])
      }
      assert.lengthOf((yield* answer("case", "show", id)).notas, 3)
      const written = (yield* actions).filter((event) => `${event.id}` === id).map(({ action }) => action)
      assert.deepStrictEqual(written, ["case_noted", "case_noted", "case_closed"])
      // The comparison still reports the difference, but the closed case stays closed.
      const again = yield* comparison(content)
      assert.deepStrictEqual([again.items[0].estado, again.casos.reabiertos], ["cerrado", 0])
    })
  )

  it.effect("opens again when its amounts change after it was closed", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { id, xid } = yield* found("2026-02-03")
      yield* answer("case", "close", id, "--nota", "Acreditado")
      const { casos, items } = yield* comparison(statementOf(xid, "3", "2026-02-03"))
      assert.deepStrictEqual(casos, { nuevos: 0, reabiertos: 1, ya_no_aparecen: 0 })
      assert.deepStrictEqual([`${items[0].caso_id}`, items[0].estado, items[0].suyo.monto], [id, "abierto", 3])
      assert.lengthOf((yield* answer("case", "show", id)).notas, 1)
    })
  )

  it.effect("is marked when a later statement of the same days no longer has the difference", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { content, id, xid } = yield* found("2026-02-04")
      const other = yield* found("2026-02-05")
      const corrected = yield* comparison(statementOf(xid, "1", "2026-02-04"))
      assert.deepStrictEqual([corrected.code, corrected.casos.ya_no_aparecen], [0, 1])
      const gone = yield* answer("case", "show", id)
      assert.deepStrictEqual([gone.estado, gone.ya_no_aparece !== null], ["abierto", true])
      assert.isNull((yield* answer("case", "show", other.id)).ya_no_aparece, "the day of this case was not compared")
      yield* comparison(content)
      assert.isNull((yield* answer("case", "show", id)).ya_no_aparece)
    })
  )

  it.effect("is found in the list by provider, kind and state", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const { id } = yield* found("2026-02-06")
      const listed = (...flags: ReadonlyArray<string>) => answer("case", "list", ...flags)
      assert.strictEqual(`${(yield* listed()).items[0].caso_id}`, id, "the newest case is first")
      const open = yield* listed(
        "--proveedor",
        "simulador",
        "--tipo",
        "otro_monto",
        "--estado",
        "abierto",
        "--per-page",
        "1"
      )
      assert.deepStrictEqual([`${open.items[0].caso_id}`, open.items.length], [id, 1])
      assert.isAbove(open.pagination.total, 1)
      assert.strictEqual((yield* listed("--proveedor", "http")).pagination.total, 0)
      assert.match((yield* run("case", "list", "--proveedor", "http")).stdout, /No such cases/)
      assert.match((yield* run("case", "show", id)).stdout, /^tipo: otro_monto$/m)
    })
  )

  it.effect("is refused as unknown if no case has the id", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      for (const command of [
        ["show", "999"],
        ["close", "999", "--nota", "x"]
      ]) {
        const { code, details } = yield* refusal("case", ...command)
        assert.deepStrictEqual([code, details], ["CASE_NOT_FOUND", { caso_id: 999 }])
      }
    })
  )

  // A change -> the statement that makes the change, which the database refuses.
  it.effect.each([
    ["a note after its closing", "update directory.statement_case set state = 'anotado'"],
    ["a return from noted to open", "update directory.statement_case set state = 'abierto'"],
    ["a change of its reference", "update directory.statement_case set reference = 'X-' || reference"],
    ["amounts without a difference", "update directory.statement_case set their_amount = our_amount"],
    ["the change of a note", "update directory.statement_case_note set note = 'Otra'"],
    ["the deletion of a note", "delete from directory.statement_case_note"]
  ] as const)("is protected by the database against %s", ([, statement]) =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const sql = yield* PgClient.PgClient
      const { id } = yield* found("2026-02-08")
      yield* answer("case", statement.includes("'anotado'") ? "close" : "note", id, "--nota", "Nota")
      const refused = yield* Effect.result(
        sql.unsafe(`${statement} where ${statement.includes("_note") ? "case_id" : "id"} = ${id}`)
      )
      assert.isTrue(Result.isFailure(refused) && isSqlError(refused.failure))
      assert.match(
        String(Result.isFailure(refused) ? refused.failure.reason._tag : ""),
        /CheckViolation|ConstraintError|Constraint/
      )
    })
  )
})
