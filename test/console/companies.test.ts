import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ConsoleAddress } from "../../facade/console/ConsoleServer.ts"
import { type Browser, callConsole, signedIn, testConsole } from "./TestConsole.ts"

/** Makes a call that must succeed. Returns its data. */
const done = (browser: Browser, name: string, input: object) =>
  Effect.map(callConsole(name, { browser, input }), ({ data, details, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(details))
    return data
  })

let made = 0

/** Makes a company with a deposit. */
const company = Effect.fnUntraced(function* (browser: Browser, monto: number) {
  made += 1
  const names = { razon_social: `Colmado Ñico ${made}`, codigo_empresa: `NICO-${made}`, ambiente: "development" }
  const { empresa_id } = yield* done(browser, "empresas.crear", names)
  yield* done(browser, "propuestas.depositar", { empresa_id, monto, referencia: `T-${made}` })
  return empresa_id as number
})

const downloaded = Effect.fnUntraced(function* ({ cookie }: Browser, path: string) {
  const { url } = yield* ConsoleAddress
  const response = yield* Effect.promise(() => fetch(`${url}${path}`, { headers: { cookie } }))
  const text = yield* Effect.promise(() => response.text())
  return {
    status: response.status,
    disposition: response.headers.get("content-disposition"),
    lines: text.trim().split("\r\n")
  }
})

describe("a company in the console", () => {
  layer(testConsole(), { excludeTestServices: true })((it) => {
    it.effect("is found by part of its name, with its money", () =>
      Effect.gen(function* () {
        const browser = yield* signedIn("admin")
        const empresa_id = yield* company(browser, 1500.5)
        const { items, pagination } = yield* done(browser, "empresas.saldos", { buscar: `nico ${made}` })
        assert.strictEqual(pagination.total, 1)
        assert.deepInclude(items[0], { empresa_id, saldo_disponible: 1500.5, saldo_retenido: 0, estado: "activa" })
      })
    )

    it.effect("shows its limits, its consumption and its statement with the balance after each entry", () =>
      Effect.gen(function* () {
        const browser = yield* signedIn("admin")
        const empresa_id = yield* company(browser, 100)
        yield* done(browser, "propuestas.depositar", { empresa_id, monto: "50.25", referencia: "segundo" })
        const limits = { diario: "1500.50", semanal: "0", mensual: 90_000, alerta_saldo_bajo: "200" }
        yield* done(browser, "empresas.limites", { empresa_id, ...limits })
        const { saldo } = yield* done(browser, "empresas.ver", { empresa_id })
        assert.deepStrictEqual(saldo.limites, { diario: 1500.5, semanal: 0, mensual: 90_000 })
        assert.deepInclude(saldo, { saldo_disponible: 150.25, saldo_bajo: true })
        assert.match(saldo.actualizado_en, /-04:00$/)
        const { items } = yield* done(browser, "empresas.movimientos", { empresa_id })
        assert.deepStrictEqual(
          items.map(({ monto, referencia, saldo }: Record<string, unknown>) => [referencia, monto, saldo]),
          [
            ["segundo", 50.25, 150.25],
            [`T-${made}`, 100, 100]
          ]
        )
        const file = yield* downloaded(browser, `/exportar/movimientos?empresa_id=${empresa_id}`)
        assert.strictEqual(file.disposition, 'attachment; filename="movimientos.csv"')
        assert.lengthOf(file.lines, 3)
        assert.match(file.lines[1] ?? "", /deposit,50\.25,150\.25/)
      })
    )

    it.effect("is in the CSV file of all companies", () =>
      Effect.gen(function* () {
        const browser = yield* signedIn("admin")
        const empresa_id = yield* company(browser, 75)
        const { lines, status } = yield* downloaded(browser, `/exportar/empresas?buscar=NICO-${made}`)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(lines.slice(1), [
          `${empresa_id},Colmado Ñico ${made},,NICO-${made},development,activa,75,0,0`
        ])
      })
    )

    it.effect.each([
      {
        name: "empresas.crear",
        input: { razon_social: " ", codigo_empresa: "X" },
        details: ["razon_social", "ambiente"]
      },
      {
        name: "empresas.cambiar",
        input: { empresa_id: "0", rnc: "1", estado: "otra" },
        details: ["empresa_id", "rnc", "estado"]
      },
      {
        name: "empresas.limites",
        input: { empresa_id: 1, diario: "1.234", mensual: -1 },
        details: ["diario", "mensual"]
      },
      {
        name: "tokens.emitir",
        input: { empresa_id: 1, nombre: "a", ips: ["x"], expira: "mañana" },
        details: ["ips", "expira"]
      },
      { name: "tokens.rotar", input: { token_id: 1, solape_horas: 721 }, details: ["solape_horas"] }
    ])("names each wrong field of $name", ({ details, input, name }) =>
      Effect.gen(function* () {
        const answer = yield* callConsole(name, { browser: yield* signedIn("admin"), input })
        assert.deepStrictEqual([answer.status, answer.code], [422, "VALIDATION_ERROR"])
        assert.sameMembers(Object.keys(answer.details ?? {}), details)
      })
    )

    it.effect.each([
      { name: "empresas.ver", input: { empresa_id: 999_999 }, code: "EMPRESA_NO_EXISTE" },
      { name: "tokens.listar", input: { empresa_id: 999_999 }, code: "EMPRESA_NO_EXISTE" },
      { name: "tokens.cambiar", input: { token_id: 999_999, estado: "active" }, code: "TOKEN_NO_EXISTE" },
      { name: "catalogo.ofrecer", input: { service_id: 999_999, activo: true }, code: "SERVICIO_NO_EXISTE" },
      { name: "operadores.cambiar", input: { nombre: "Nadie", rol: "lector" }, code: "OPERADOR_NO_EXISTE" }
    ])("answers $name with 404 and $code", ({ code, input, name }) =>
      Effect.gen(function* () {
        const answer = yield* callConsole(name, { browser: yield* signedIn("admin"), input })
        assert.deepStrictEqual([answer.status, answer.code], [404, code])
      })
    )

    it.effect("gets a token with a secret that the list never shows", () =>
      Effect.gen(function* () {
        const browser = yield* signedIn("admin")
        const empresa_id = yield* company(browser, 1)
        const issued = yield* done(browser, "tokens.emitir", { empresa_id, nombre: "Caja 1", ips: ["203.0.113.0/24"] })
        const { token_id } = issued
        const rotated = yield* done(browser, "tokens.rotar", { token_id, solape_horas: 24 })
        assert.notStrictEqual(rotated.api_secret, issued.api_secret)
        yield* done(browser, "tokens.cambiar", { token_id, estado: "suspended" })
        const listed = yield* done(browser, "tokens.listar", { empresa_id })
        assert.deepInclude(listed[0], {
          token_id,
          api_key: issued.api_key,
          estado: "suspended",
          ips: ["203.0.113.0/24"]
        })
        for (const secret of [issued.api_secret, rotated.api_secret]) assert.notInclude(JSON.stringify(listed), secret)
      })
    )

    it.effect("has each change in the audit log with the operator, the interface and the IP address", () =>
      Effect.gen(function* () {
        const browser = yield* signedIn("admin")
        const empresa_id = yield* company(browser, 1)
        yield* done(browser, "empresas.cambiar", { empresa_id, estado: "suspendida" })
        const sql = yield* PgClient.PgClient
        const rows = yield* sql`
          select actor, via, address from directory.audit_event
          where action = 'company_changed' and company_id = ${empresa_id}`
        assert.deepStrictEqual(rows, [{ actor: browser.name, via: "console", address: "127.0.0.1" }])
      })
    )
  })
})
