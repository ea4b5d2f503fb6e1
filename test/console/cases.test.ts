import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ask, operator, WithConsole } from "./ConsoleSales.ts"

/** A line of a statement of the simulator for which there is no sale. */
const aCase = Effect.fnUntraced(function* (reference: string) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ id: bigint }>`
    insert into directory.statement_case (
      provider, kind, reference, their_status, their_amount, lines, line, file, found_at, opened_at, seen_at
    )
    values (
      'simulador', 'solo_suyo', ${reference}, 'SUCCESS', 10050, 1, 7, 'marzo.csv', '2026-03-11T14:00:00Z',
      '2026-03-11T14:00:00Z', '2026-03-11T14:00:00Z'
    )
    returning id`
  return Number(row?.id)
})

describe("cases in the console", () => {
  layer(WithConsole, { excludeTestServices: true })((it) => {
    it.effect("are listed, noted and closed by a supervisor", () =>
      Effect.gen(function* () {
        const id = yield* aCase("RD-1")
        const { data } = yield* ask("casos.listar", { tipo: "solo_suyo", estado: "abierto", proveedor: "simulador" })
        assert.deepStrictEqual(
          data.items.map(({ caso_id, encontrado, nuestro, suyo }: Record<string, unknown>) => [
            caso_id,
            encontrado,
            nuestro,
            suyo
          ]),
          [[id, "2026-03-11T10:00:00-04:00", null, { status: "SUCCESS", monto: 100.5, fecha: null }]]
        )
        const supervisor = yield* operator("supervisor")
        yield* ask("casos.anotar", { caso_id: id, nota: "Ticket 4711" }, supervisor)
        const { data: closed } = yield* ask("casos.cerrar", { caso_id: id, nota: "Acreditado" }, supervisor)
        assert.deepStrictEqual(
          closed.notas.map(({ estado, nota, operador }: Record<string, unknown>) => [estado, nota, operador]),
          [
            ["anotado", "Ticket 4711", supervisor.name],
            ["cerrado", "Acreditado", supervisor.name]
          ]
        )
        const again = yield* ask("casos.anotar", { caso_id: id, nota: "Otra" }, supervisor)
        assert.strictEqual(again.code, "CASO_CERRADO")
        assert.strictEqual((yield* ask("casos.ver", { caso_id: id })).data.estado, "cerrado")
      })
    )

    it.effect.each([
      ["casos.listar", { tipo: "otro" }, "VALIDATION_ERROR"],
      ["casos.listar", { estado: "nuevo" }, "VALIDATION_ERROR"],
      ["casos.ver", { caso_id: "0" }, "VALIDATION_ERROR"],
      ["casos.ver", { caso_id: "999999" }, "CASO_NO_EXISTE"]
    ] as const)("%s refuses %j with %s", ([name, wanted, code]) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* ask(name, wanted)).code, code)
      })
    )

    it.effect("show no balance with a provider before a server has read one", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* ask("casos.saldos", {})).data, [])
      })
    )
  })
})
