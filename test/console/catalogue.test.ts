import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { seed } from "../../core/workflows/Seed.ts"
import { exampleCatalogue } from "../../facade/settings/CatalogueFile.ts"
import { callConsole, signedIn, testConsole } from "./TestConsole.ts"

/** Makes a call as an admin, which must succeed. Returns its data. */
const done = Effect.fnUntraced(function* (name: string, input: object) {
  const { data, details, status } = yield* callConsole(name, { browser: yield* signedIn("admin"), input })
  assert.strictEqual(status, 200, JSON.stringify(details))
  return data
})

const category = (nombre: string) => JSON.stringify({ categorias: [{ id: 77, nombre }], servicios: [] })

const importing = (archivo: string, probar: boolean, formato = "json") =>
  done("catalogo.importar", { archivo, formato, probar })

const stateOf = Effect.fnUntraced(function* (serviceId: number, empresa_id?: number) {
  const { servicios } = yield* done("catalogo.listar", empresa_id === undefined ? {} : { empresa_id })
  const found = servicios.find(({ service_id }: { service_id: number }) => service_id === serviceId)
  return { activo: found.activo, habilitado: found.habilitado }
})

describe("the catalogue in the console", () => {
  layer(testConsole(), { excludeTestServices: true })((it) => {
    it.effect("shows the changes of an import before it makes them", () =>
      Effect.gen(function* () {
        const changes = [
          {
            entrada: "categoria",
            id: 77,
            cambio: "nuevo",
            campos: [{ campo: "nombre", antes: null, despues: "Peajes" }]
          }
        ]
        const tried = yield* importing(category("Peajes"), true)
        assert.deepStrictEqual(tried, { cambios: changes, faltas: [], importado: false })
        assert.deepStrictEqual((yield* importing(category("Peajes"), true)).cambios, changes)
        assert.isTrue((yield* importing(category("Peajes"), false)).importado)
        assert.deepStrictEqual((yield* importing(category("Peajes"), true)).cambios, [])
      })
    )

    it.effect.each([
      { archivo: "{", formato: "json", lugar: "el archivo", motivo: /^No es JSON válido: / },
      { archivo: category(""), formato: "json", lugar: "categorias[0].nombre", motivo: /^Tiene que ser un texto/ },
      { archivo: "entrada,id\notra,1\n", formato: "csv", lugar: "el archivo", motivo: /^La columna entrada tiene/ }
    ])(
      "imports nothing from a file with faults, and names the faults in Spanish",
      ({ archivo, formato, lugar, motivo }) =>
        Effect.gen(function* () {
          const { cambios, faltas, importado } = yield* importing(archivo, false, formato)
          assert.deepStrictEqual([cambios, importado], [[], false])
          assert.isAtLeast(faltas[0].linea, 1)
          assert.strictEqual(faltas[0].lugar, lugar)
          assert.match(faltas[0].motivo, motivo)
        })
    )

    it.effect("withdraws a service from all companies, and withholds a service from one company", () =>
      Effect.gen(function* () {
        yield* seed(yield* exampleCatalogue, null)
        const names = { razon_social: "Colmado Luz", codigo_empresa: "LUZ", ambiente: "development" }
        const { empresa_id } = yield* done("empresas.crear", names)
        yield* done("catalogo.habilitar", { empresa_id, service_id: 1, habilitado: false })
        assert.deepStrictEqual(yield* stateOf(1, empresa_id), { activo: true, habilitado: false })
        yield* done("catalogo.ofrecer", { service_id: 1, activo: false })
        assert.deepStrictEqual(yield* stateOf(1), { activo: false, habilitado: null })
      })
    )
  })
})

describe("the operators in the console", () => {
  layer(testConsole(), { excludeTestServices: true })((it) => {
    it.effect("are invited, get another role, are suspended, and are listed without their secrets", () =>
      Effect.gen(function* () {
        const { enlace } = yield* done("operadores.invitar", { nombre: "Ana  Luz", rol: "cajero" })
        yield* done("operadores.cambiar", { nombre: "Ana Luz", rol: "supervisor", suspendido: true })
        const listed = yield* done("operadores.listar", {})
        const ana = listed.find(({ nombre }: { nombre: string }) => nombre === "Ana Luz")
        assert.deepInclude(ana, { rol: "supervisor", estado: "suspended", tiene_ficha: false, ultima_entrada: null })
        assert.notInclude(JSON.stringify(listed), enlace)
      })
    )

    it.effect("include at least one admin, and have unique names", () =>
      Effect.gen(function* () {
        const browser = yield* signedIn("admin")
        const others = (yield* done("operadores.listar", {})).filter(
          ({ nombre, rol }: { nombre: string; rol: string }) => rol === "admin" && nombre !== browser.name
        )
        for (const { nombre } of others)
          yield* callConsole("operadores.cambiar", { browser, input: { nombre, rol: "lector" } })
        const last = yield* callConsole("operadores.cambiar", {
          browser,
          input: { nombre: browser.name, rol: "lector" }
        })
        assert.deepStrictEqual([last.status, last.code], [409, "ULTIMO_ADMIN"])
        const input = { nombre: browser.name.toUpperCase(), rol: "lector" }
        const taken = yield* callConsole("operadores.invitar", { browser, input })
        assert.deepStrictEqual([taken.code, taken.details], ["NOMBRE_EN_USO", { nombre: "en_uso" }])
      })
    )
  })
})
