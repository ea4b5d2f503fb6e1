import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { callConsole, signedIn, testConsole } from "./TestConsole.ts"

const ask = (name: string, input: object = {}) =>
  Effect.flatMap(signedIn("lector"), (browser) => callConsole(name, { browser, input }))

describe("the panorama in the console", () => {
  layer(testConsole(), { excludeTestServices: true })((it) => {
    it.effect("shows an environment, with times that end in -04:00", () =>
      Effect.gen(function* () {
        const { data, status } = yield* ask("panorama.ver", { ambiente: "production" })
        assert.strictEqual(status, 200)
        assert.strictEqual(data.ambiente, "production")
        assert.match(data.fecha, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-04:00$/)
        assert.lengthOf(data.hoy.horas, 24)
        const { data: unchosen } = yield* ask("panorama.ver")
        assert.strictEqual(unchosen.ambiente, "development")
      })
    )

    it.effect("refuses an unknown environment", () =>
      Effect.gen(function* () {
        const { code, status } = yield* ask("panorama.ver", { ambiente: "test" })
        assert.deepStrictEqual([status, code], [422, "VALIDATION_ERROR"])
      })
    )
  })
})

const record = (n: number) => `
  insert into directory.audit_event (at, action, company_id, details, actor_id, actor, via, address)
  select '2026-03-10T16:00:00Z', 'company_changed', 7, '{"after": {"estado": "activa"}, "transactionId": 4711}', 1, 'Ana', 'console', '203.0.113.7'
  from generate_series(1, ${n})`

describe("the audit log in the console", () => {
  layer(testConsole(), { excludeTestServices: true })((it) => {
    it.effect("shows events with their actor, page by page", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql.unsafe(record(3)).unprepared
        const filter = { operador: "ana", accion: "company_changed", empresa_id: "7", via: "console", per_page: "2" }
        const { data } = yield* ask("auditoria.listar", filter)
        assert.lengthOf(data.items, 2)
        const { id, ...event } = data.items[0]
        assert.deepStrictEqual(event, {
          fecha: "2026-03-10T12:00:00-04:00",
          accion: "company_changed",
          empresa_id: 7,
          transaction_id: 4711,
          token_id: null,
          operador: "Ana",
          via: "console",
          direccion: "203.0.113.7",
          detalles: { after: { estado: "activa" }, transactionId: 4711 }
        })
        const { data: rest } = yield* ask("auditoria.listar", { ...filter, antes_de: `${data.siguiente}` })
        assert.lengthOf(rest.items, 1)
        assert.isBelow(rest.items[0].id, id)
        assert.isNull(rest.siguiente)
      })
    )

    it.effect.each([
      { via: "phone" },
      { accion: "company_chnaged" },
      { empresa_id: "x" },
      { transaction_id: "0" },
      { date_from: "2026-02-30" },
      { antes_de: "0" },
      { per_page: "201" },
      { operador: "a\u0000" }
    ])("refuses the filter %j", (filter) =>
      Effect.gen(function* () {
        const { code } = yield* ask("auditoria.listar", filter)
        assert.strictEqual(code, "VALIDATION_ERROR")
      })
    )
  })
})
