import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { customer } from "../support/service/CustomerCompany.ts"
import { sell } from "../support/service/HttpCalls.ts"
import { ask, nextPhone, operator, WithConsole } from "./ConsoleSales.ts"

/** Stores a case: a line of the simulator's statement for which there is no sale. Returns the id of the case. */
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
    ] as const)("are refused when %s gets the input %j: %s", ([name, wanted, code]) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* ask(name, wanted)).code, code)
      })
    )

    it.effect("show no balance with a provider before a server has read a balance", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* ask("casos.saldos", {})).data, [])
      })
    )
  })
})

const days = { desde: "2026-03-11", hasta: "2026-03-11" }

/** Compares a statement of the simulator. */
const compare = Effect.fnUntraced(function* (archivo: string, more: object = {}) {
  const input = { archivo, nombre: "marzo.csv", proveedor: "simulador", ...more }
  return yield* ask("casos.comparar", input, yield* operator("supervisor"))
})

describe("a provider's statement in the console", () => {
  layer(WithConsole, { excludeTestServices: true })((it) => {
    it.effect("is compared with the sales, and each difference becomes a case", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const { body } = yield* sell({ service_id: 1, amount: 100, identifier: nextPhone() }, auth)
        const lines = [`${body.data.xid};exitosa;100.00;2026-03-11`, "RD-ajena;exitosa;50.00;2026-03-11"]
        const { data } = yield* compare(`Referencia;Estado;Monto;Fecha\n${lines.join("\n")}\n`, {
          ...days,
          columna_xid: "referencia",
          columna_status: "Estado",
          columna_amount: "Monto",
          columna_date: "Fecha"
        })
        assert.deepStrictEqual(data, {
          comparacion: {
            desde: "2026-03-11T00:00:00-04:00",
            hasta: "2026-03-11T23:59:59-04:00",
            lineas: 2,
            conciliadas: 1,
            diferencias: { solo_nuestro: 0, solo_suyo: 1, otro_monto: 0, otro_estado: 0 },
            casos: { nuevos: 1, reabiertos: 0, ya_no_aparecen: 0 }
          },
          faltas: [],
          hay_mas: false
        })
        const { items } = (yield* ask("casos.listar", { tipo: "solo_suyo" })).data
        assert.deepInclude(items[0], { referencia: "RD-ajena", extracto: "marzo.csv", linea: 3 })
      })
    )

    it.effect("with faults is not stored, and the faults are named in Spanish", () =>
      Effect.gen(function* () {
        const before = (yield* ask("casos.listar", {})).data.pagination.total
        const { data } = yield* compare("xid,amount,date\nRD-1,mucho,2026-03-11\nRD-2,5,2026-03-11\n")
        assert.deepStrictEqual(data, {
          comparacion: null,
          faltas: [{ linea: 2, columna: "amount", motivo: '"mucho" no es un monto.' }],
          hay_mas: false
        })
        assert.strictEqual((yield* ask("casos.listar", {})).data.pagination.total, before)
      })
    )

    it.effect("of 20,000 lines is read completely", () =>
      Effect.gen(function* () {
        const lines = Array.from({ length: 20_000 }, (_, number) => `RD-${number},1,2025-01-31`)
        const { data } = yield* compare(`xid,amount,date\n${lines.join("\n")}`)
        assert.deepStrictEqual([data.comparacion.lineas, data.comparacion.casos.nuevos], [20_000, 20_000])
      })
    )

    it.effect.each([
      [{ desde: "2026-03-11" }, { hasta: "requerido" }],
      [{ hasta: "2026-03-11" }, { desde: "requerido" }],
      [{ desde: "2026-03-12", hasta: "2026-03-11" }, { hasta: "invalido" }],
      [{ proveedor: "otro" }, { proveedor: "invalido" }]
    ] as const)("is refused with %j", ([more, details]) =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* compare("xid,amount\n", more)).details, details)
      })
    )

    it.effect("without dates is refused if the call gives no days", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* compare("xid,amount\nRD-1,5\n")).code, "EXTRACTO_SIN_FECHAS")
      })
    )
  })
})
