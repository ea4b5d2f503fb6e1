import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { category, fileOf, paquete, paquetes, service, withPackages } from "../support/CatalogueFiles.ts"

layer(CommandLine.layer, { excludeTestServices: true })("a catalogue with faults", (it) => {
  // What the file says -> where it is wrong. Nothing of such a file is stored.
  it.effect.each([
    ["not JSON", "{", ["the file"]],
    ["nothing", "", ["the file"]],
    ["a comment", '{"categorias": [], "servicios": [] /* todos */}', ["the file"]],
    ["no catalogue", "[]", ["the file"]],
    ["a name twice", '{"categorias": [], "servicios": [], "servicios": []}', ["servicios"]],
    ["an unknown field", { categorias: [], servicios: [], precios: [] }, ["precios"]],
    [
      "two faults",
      { categorias: [{ id: 0, nombre: "" }], servicios: [] },
      ["categorias[0].id", "categorias[0].nombre"]
    ],
    [
      "three decimals",
      { categorias: [category], servicios: [{ ...service, monto_minimo: 1.005 }] },
      ["servicios[0].monto_minimo"]
    ],
    ["no such type", { categorias: [category], servicios: [{ ...service, tipo: "lottery" }] }, ["servicios[0].tipo"]],
    ["no such category", { categorias: [], servicios: [service] }, ["servicios[0].categoria_id"]],
    ["an id twice", { categorias: [category], servicios: [service, service] }, ["servicios[1].id"]],
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
      "a free amount that needs a consulta, which no sale of it asks for",
      { categorias: [category], servicios: [{ ...service, requiere_consulta: true }] },
      ["servicios[0].requiere_consulta"]
    ],
    [
      "insurance that needs a consulta, which there is none of",
      {
        categorias: [category],
        servicios: [{ ...service, tipo: "insurance", flujo: "seguros", requiere_consulta: true }]
      },
      ["servicios[0].requiere_consulta"]
    ],
    ["a code twice", withPackages(paquete, { ...paquete, id: 91 }), ["paquetes[1].codigo"]],
    ["a package for nothing", withPackages({ ...paquete, precio: 0 }), ["paquetes[0].precio"]],
    ["a package of three decimals", withPackages({ ...paquete, precio: 1.005 }), ["paquetes[0].precio"]],
    ["minutes below zero", withPackages({ ...paquete, minutos: -1 }), ["paquetes[0].minutos"]],
    ["a package twice", withPackages(paquete, paquete), ["paquetes[1].id"]],
    ["a package of nobody", withPackages({ ...paquete, service_id: 22 }), ["paquetes[0].service_id"]],
    ["a package of another flow", withPackages({ ...paquete, service_id: 20 }), ["paquetes[0].service_id"]]
  ] as const)("with %s stores nothing and says where", ([name, content, places]) =>
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

  it.effect("tells every fault of a file at once, each by its line", () =>
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
      const told = details.errores.map(
        ({ entrada, linea, motivo }: { entrada: string; linea: number; motivo: string }) =>
          `line ${linea}: ${entrada}: ${motivo}`
      )
      const required = ["nombre", "descripcion", "tipo", "categoria_id", "monto_minimo", "monto_maximo"]
        .concat(["acepta_anulacion", "flujo", "requiere_consulta", "como_comprar"])
        .map((name) => `line 10: servicios[1].${name}: Required`)
      assert.deepStrictEqual(told, [
        "line 4: categorias[1].id: is that of an earlier entry",
        "line 6: categorias[1].nombre: Given twice",
        "line 9: servicios[0].monto_maximo: is below the minimum; 0 means no bound",
        ...required,
        "line 11: servicios[1].id: Expected number",
        "line 12: servicios[1].precio: Unknown field",
        "line 16: paquetes[0].service_id: is a service that sells no packages: its flow is another"
      ])
      assert.deepStrictEqual(message.split("\n  ").slice(1), told)
      const { stderr } = yield* run("catalog", "import", file)
      assert.deepStrictEqual(stderr.split("\n  ").slice(1), told)
    })
  )

  it.effect("tells what an entry of the wrong shape says wrongly besides, and what is wrong with others", () =>
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

  // What cannot be read -> the faults, of which none is a guess about it.
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
  ] as const)("supposes nothing of %s that cannot be read", ([name, content, places]) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { details } = yield* refusal("catalog", "import", yield* fileOf(name, JSON.stringify(content)))
      assert.deepStrictEqual(
        details.errores.map(({ entrada }: { entrada: string }) => entrada),
        places
      )
    })
  )

  it.effect("tells what keeps a file from being JSON by its line", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const file = yield* fileOf("comma", '{\n  "categorias": []\n  "servicios": []\n}')
      assert.deepStrictEqual((yield* refusal("catalog", "import", file)).details, {
        errores: [{ linea: 3, entrada: "the file", motivo: "Not JSON: comma expected" }]
      })
    })
  )
})
