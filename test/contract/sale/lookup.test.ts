import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { as, consult, get, post } from "../../support/service/HttpCalls.ts"
import { TestService } from "../../support/service/InMemoryService.ts"

const money = Effect.map(get("/v1/saldo"), ({ body }) => body.data)
const count = Effect.map(get("/v1/transacciones"), ({ body }) => body.data.pagination.total)

layer(TestService, { excludeTestServices: true })("a lookup", (it) => {
  const nothing = { requiere_seleccion: false, opciones: [], sin_deuda: false, origen_datos: "simulado" }
  const holder = "Cliente de Prueba"

  it.effect.each([
    // Service, identifier, and the data of the response.
    [1, "8095551234", { ...nothing, flujo: "monto_libre", titular: holder }],
    [1, "8095551231", { ...nothing, flujo: "monto_libre", titular: holder }],
    [4, "NIC-3", { ...nothing, flujo: "monto_libre", titular: holder }],
    [3, "8095551231", { ...nothing, flujo: "paquetes", titular: null }],
    [5, "NIC-1", { ...nothing, flujo: "facturas", titular: holder, sin_deuda: true }]
  ] as const)("of service %i for %s returns no options and requires no selection", ([service, identifier, data]) =>
    Effect.map(consult(service, identifier), ({ body, headers, status }) => {
      assert.deepStrictEqual([status, body.data], [200, data])
      assert.strictEqual(headers.get("cache-control"), "no-store")
    })
  )

  it.effect("of packages offers the packages of the catalogue", () =>
    Effect.gen(function* () {
      const { opciones, ...rest } = (yield* consult(3, "8095551234")).body.data
      assert.deepStrictEqual(rest, {
        flujo: "paquetes",
        titular: null,
        requiere_seleccion: true,
        sin_deuda: false,
        origen_datos: "simulado"
      })
      const packages = (yield* get("/v1/servicios/3/paquetes")).body.data
      assert.deepStrictEqual(
        opciones.map(({ opcion_id: _, ...option }: Record<string, unknown>) => option),
        packages.map(({ datos, duracion, nombre, precio }: Record<string, unknown>) => ({
          nombre,
          precio,
          vigencia: duracion,
          datos
        }))
      )
    })
  )

  it.effect("of bills offers two bills, and the same two bills when it is repeated", () =>
    Effect.gen(function* () {
      const first = (yield* consult(5, "NIC-3")).body.data
      assert.deepStrictEqual([first.opciones.length, first.titular, first.sin_deuda], [2, holder, false])
      assert.deepStrictEqual((yield* consult(5, "NIC-3")).body.data, first)
    })
  )

  it.effect("by a production company without a provider returns simulated data, marked as simulated", () =>
    Effect.gen(function* () {
      const { body, status } = yield* consult(3, "8095551234", as("produccion"))
      assert.deepStrictEqual([status, body.data.origen_datos, body.data.opciones.length], [200, "simulado", 2])
    })
  )

  it.effect.each([
    [{ service_id: 3, identifier: "8095551230" }, 404, "NOT_FOUND", undefined],
    [{ service_id: 3, identifier: "8095551232" }, 422, "SERVICE_TIMEOUT", undefined],
    [{ service_id: 3, identifier: "809 555 1234" }, 404, "NOT_FOUND", undefined],
    [{ service_id: 5, identifier: "NIC-0" }, 404, "NOT_FOUND", undefined],
    [{ service_id: 5, identifier: "NIC-2" }, 422, "SERVICE_TIMEOUT", undefined],
    [{ service_id: 99, identifier: "8095551234" }, 422, "INVALID_PRODUCT", undefined],
    [{ service_id: 6, identifier: "A123456" }, 501, "NOT_IMPLEMENTED", { consultar_en: "/v1/seguros" }],
    [{}, 422, "VALIDATION_ERROR", { service_id: "requerido", identifier: "requerido" }],
    [{ service_id: "3", identifier: "8095551234" }, 422, "VALIDATION_ERROR", { service_id: "invalido" }],
    [{ service_id: 3, identifier: "80" }, 422, "VALIDATION_ERROR", { identifier: "longitud" }],
    [{ service_id: 3, identifier: "8".repeat(101) }, 422, "VALIDATION_ERROR", { identifier: "longitud" }],
    [{ service_id: 3, identifier: "809\u0000555" }, 422, "VALIDATION_ERROR", { identifier: "invalido" }],
    [{ service_id: 3, identifier: "809\u200b555" }, 422, "VALIDATION_ERROR", { identifier: "invalido" }],
    [{ service_id: 3, identifier: "8095551234", empresa_id: 8 }, 403, "FORBIDDEN", { motivo: "empresa_ajena" }],
    ["{", 422, "VALIDATION_ERROR", { body: "json_invalido" }]
  ] as const)("of %j is answered with %i %s", ([sent, status, code, details]) =>
    Effect.map(post("/v1/consultas", sent), (answer) =>
      assert.deepStrictEqual(
        [answer.status, answer.body.error.code, answer.body.error.details],
        [status, code, details]
      )
    )
  )

  it.effect("requires the permission for lookups", () =>
    Effect.map(consult(3, "8095551234", as("lector")), ({ body, status }) =>
      assert.deepStrictEqual([status, body.error.code], [403, "FORBIDDEN"])
    )
  )

  it.effect("changes neither the balance nor the transactions", () =>
    Effect.gen(function* () {
      const before = [yield* money, yield* count]
      yield* consult(5, "NIC-3")
      assert.deepStrictEqual([yield* money, yield* count], before)
    })
  )
})

layer(TestService, { excludeTestServices: true })("the packages of a service", (it) => {
  it.effect.each(["/v1/servicios/3/paquetes", "/v1/services/3/packages"])("are listed at %s", (path) =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* get(path)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body.data[0], {
        id: 1,
        codigo: "P1",
        nombre: "Paquete 1",
        descripcion: "Datos",
        precio: 150,
        duracion: "7 días",
        datos: "3 GB",
        minutos: 60,
        sms: 50
      })
      const again = yield* get(path, { "if-none-match": headers.get("etag") ?? "" })
      assert.deepStrictEqual([again.status, again.text], [304, ""])
    })
  )

  it.effect.each([
    ["1", 200, "[]"],
    ["5", 200, "[]"],
    ["99", 404, "NOT_FOUND"],
    ["0", 404, "NOT_FOUND"],
    ["tres", 404, "NOT_FOUND"]
  ] as const)("with the id %s are answered with %i %s", ([id, status, said]) =>
    Effect.map(get(`/v1/servicios/${id}/paquetes`), (answer) => {
      assert.strictEqual(answer.status, status)
      assert.strictEqual(answer.body.error?.code ?? JSON.stringify(answer.body.data), said)
    })
  )

  it.effect("require the catalogue permission", () =>
    Effect.map(get("/v1/servicios/3/paquetes", as("lector")), ({ status }) => assert.strictEqual(status, 403))
  )
})
