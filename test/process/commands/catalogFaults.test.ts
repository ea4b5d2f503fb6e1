import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { category, fileOf, paquete, paquetes, service, withPackages } from "../support/CatalogueFiles.ts"

layer(CommandLine.layer, { excludeTestServices: true })("an import of a catalogue with faults", (it) => {
  // Content of the file -> the entries with a fault.
  it.effect.each([
    ["text that is not JSON", "{", ["the file"]],
    ["no content", "", ["the file"]],
    ["a comment", '{"categorias": [], "servicios": [] /* todos */}', ["the file"]],
    ["an array instead of a catalogue", "[]", ["the file"]],
    ["a duplicate field", '{"categorias": [], "servicios": [], "servicios": []}', ["servicios"]],
    ["an unknown field", { categorias: [], servicios: [], precios: [] }, ["precios"]],
    [
      "two faults",
      { categorias: [{ id: 0, nombre: "" }], servicios: [] },
      ["categorias[0].id", "categorias[0].nombre"]
    ],
    [
      "a hidden character in a name",
      { categorias: [{ ...category, nombre: "Pagos\u200b" }], servicios: [] },
      ["categorias[0].nombre"]
    ],
    [
      "an amount with three decimals",
      { categorias: [category], servicios: [{ ...service, monto_minimo: 1.005 }] },
      ["servicios[0].monto_minimo"]
    ],
    [
      "an unknown service type",
      { categorias: [category], servicios: [{ ...service, tipo: "lottery" }] },
      ["servicios[0].tipo"]
    ],
    ["an unknown category", { categorias: [], servicios: [service] }, ["servicios[0].categoria_id"]],
    ["a duplicate service id", { categorias: [category], servicios: [service, service] }, ["servicios[1].id"]],
    [
      "a maximum below the minimum",
      { categorias: [category], servicios: [{ ...service, monto_maximo: 5 }] },
      ["servicios[0].monto_maximo"]
    ],
    [
      "insurance that can be reversed",
      {
        categorias: [category],
        servicios: [{ ...service, tipo: "insurance", flujo: "seguros", acepta_anulacion: true }]
      },
      ["servicios[0].acepta_anulacion"]
    ],
    [
      "insurance that is sold as a bill",
      { categorias: [category], servicios: [{ ...service, tipo: "insurance", flujo: "facturas" }] },
      ["servicios[0].flujo"]
    ],
    [
      "a lookup required for a free amount, whose sale makes no lookup",
      { categorias: [category], servicios: [{ ...service, requiere_consulta: true }] },
      ["servicios[0].requiere_consulta"]
    ],
    [
      "a lookup required for insurance, which has no lookup",
      {
        categorias: [category],
        servicios: [{ ...service, tipo: "insurance", flujo: "seguros", requiere_consulta: true }]
      },
      ["servicios[0].requiere_consulta"]
    ],
    ["a duplicate package code", withPackages(paquete, { ...paquete, id: 91 }), ["paquetes[1].codigo"]],
    ["a package with price zero", withPackages({ ...paquete, precio: 0 }), ["paquetes[0].precio"]],
    ["a package price with three decimals", withPackages({ ...paquete, precio: 1.005 }), ["paquetes[0].precio"]],
    ["negative minutes", withPackages({ ...paquete, minutos: -1 }), ["paquetes[0].minutos"]],
    ["a duplicate package", withPackages(paquete, paquete), ["paquetes[1].id"]],
    ["a package of an unknown service", withPackages({ ...paquete, service_id: 22 }), ["paquetes[0].service_id"]],
    [
      "a package of a service that sells no packages",
      withPackages({ ...paquete, service_id: 20 }),
      ["paquetes[0].service_id"]
    ]
  ] as const)("stores nothing and reports the entry when the file has %s", ([name, content, places]) =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const before = yield* answer("catalog", "list")
      const file = yield* fileOf(name, typeof content === "string" ? content : JSON.stringify(content))
      const { code, details, exit } = yield* refusal("catalog", "import", file)
      assert.deepStrictEqual([exit, code], [1, "CATALOGUE_INVALID"])
      assert.deepStrictEqual(
        details.errores.map(({ entrada }: { entrada: string }) => entrada),
        places
      )
      assert.deepStrictEqual(yield* answer("catalog", "list"), before)
    })
  )

  it.effect("reports all faults of a file together, each with its line and column", () =>
    Effect.gen(function* () {
      const { refusal, run } = yield* CommandLine
      const text = `{
  "categorias": [
    { "id": 9, "nombre": "Pagos" },
    { "id": 9,
      "nombre": "Otros",
      "nombre": "Varios" }
  ],
  "servicios": [
    ${JSON.stringify({ ...service, monto_maximo: 5 })},
    {
      "id": "21",
      "precio": 1
    }
  ],
  "paquetes": [
    ${JSON.stringify({ ...paquete, service_id: 20 })}
  ]
}`.replaceAll("\n", "\r\n")
      const file = yield* fileOf("faults", text)
      const { details, message } = yield* refusal("catalog", "import", file)
      const reported = details.errores.map(
        ({ columna, entrada, linea, motivo }: Record<string, string | number>) =>
          `line ${linea}, column ${columna}: ${entrada}: ${motivo}`
      )
      const required = ["nombre", "descripcion", "tipo", "categoria_id", "monto_minimo", "monto_maximo"]
        .concat(["acepta_anulacion", "flujo", "requiere_consulta", "como_comprar"])
        .map((name) => `line 10, column 5: servicios[1].${name}: Required`)
      assert.deepStrictEqual(reported, [
        "line 4, column 7: categorias[1].id: is already used by an earlier entry",
        "line 6, column 7: categorias[1].nombre: Given twice",
        "line 9, column 115: servicios[0].monto_maximo: is below the minimum; 0 means no bound",
        ...required,
        "line 11, column 7: servicios[1].id: Expected number",
        "line 12, column 7: servicios[1].precio: Unknown field",
        "line 16, column 14: paquetes[0].service_id: is a service that sells no packages, because its flow is not paquetes"
      ])
      assert.deepStrictEqual(message.split("\n  ").slice(1), reported)
      const { stderr } = yield* run("catalog", "import", file)
      assert.deepStrictEqual(stderr.split("\n  ").slice(1), reported)
    })
  )

  it.effect("reports the other faults of an entry with an unreadable field, and the faults of other entries", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const content = {
        categorias: [category],
        servicios: [
          { ...service, categoria_id: 77, monto_minimo: 10, monto_maximo: 5 },
          { ...service, id: 22, tipo: "insurance", flujo: "paquetes", acepta_anulacion: true, activo: "x" }
        ],
        paquetes: [{ ...paquete, service_id: 99 }]
      }
      const { details } = yield* refusal("catalog", "import", yield* fileOf("shapes", JSON.stringify(content)))
      assert.sameMembers(
        details.errores.map(({ entrada }: { entrada: string }) => entrada),
        [
          "servicios[0].categoria_id",
          "servicios[0].monto_maximo",
          "servicios[1].activo",
          "servicios[1].acepta_anulacion",
          "servicios[1].flujo",
          "paquetes[0].service_id"
        ]
      )
    })
  )

  // Unreadable value -> the reported faults. No other fault may be derived from the unreadable value.
  it.effect.each([
    ["a category's id", { categorias: [{ ...category, id: "9" }], servicios: [service] }, ["categorias[0].id"]],
    ["the categories", { categorias: 9, servicios: [service] }, ["categorias"]],
    ["a service's id", { ...withPackages(paquete), servicios: [{ ...paquetes, id: "21" }] }, ["servicios[0].id"]],
    ["a service's flow", { ...withPackages(paquete), servicios: [{ ...paquetes, flujo: 1 }] }, ["servicios[0].flujo"]],
    [
      "a minimum",
      { categorias: [category], servicios: [{ ...service, monto_minimo: "10", monto_maximo: 5 }] },
      ["servicios[0].monto_minimo"]
    ]
  ] as const)("derives no further fault from %s that cannot be read", ([name, content, places]) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { details } = yield* refusal("catalog", "import", yield* fileOf(name, JSON.stringify(content)))
      assert.deepStrictEqual(
        details.errores.map(({ entrada }: { entrada: string }) => entrada),
        places
      )
    })
  )

  it.effect("reports the line at which a file stops being valid JSON", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const file = yield* fileOf("comma", '{\n  "categorias": []\n  "servicios": []\n}')
      assert.deepStrictEqual((yield* refusal("catalog", "import", file)).details, {
        errores: [{ linea: 3, columna: 3, entrada: "the file", motivo: "Not JSON: comma expected" }]
      })
    })
  )
})
