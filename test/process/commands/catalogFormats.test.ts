import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import example from "../../../facade/settings/catalogue.example.json" with { type: "json" }
import { CommandLine } from "../../support/CommandLine.ts"
import { category, fileOf, paquete, paquetes, service } from "../support/CatalogueFiles.ts"

// Texts that a spreadsheet could run as formulas, and the characters of the CSV format itself.
const texts = ["=1+1", "+Datos", "-10 %", "@casa", "'comillas", 'dice "hola", y; más', "Ñandú 💸"]

/** A catalogue with every kind of entry, on sale and withdrawn, with awkward texts. */
const catalogue = {
  categorias: [...example.categorias, category],
  servicios: [
    ...example.servicios,
    { ...paquetes, producto_proveedor: "000123" },
    ...texts.map((nombre, index) => ({ ...service, id: 30 + index, nombre, descripcion: nombre, activo: index > 2 }))
  ],
  paquetes: [...example.paquetes, paquete, { ...paquete, id: 91, codigo: "0007", activo: false }]
}

/** The catalogue and the audit log, which an import without changes leaves as they are. */
const stored = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const tables = ["catalogue.category", "catalogue.service", "catalogue.package", "directory.audit_event"]
  return yield* Effect.forEach(tables, (table) => sql`select xmin::text, * from ${sql.literal(table)} order by id`)
})

/** Imports the catalogue above, and a company that may not sell one service. */
const imported = Effect.gen(function* () {
  const { answer } = yield* CommandLine
  yield* answer("catalog", "import", yield* fileOf("all", JSON.stringify(catalogue)))
  const named = ["--razon-social", "Una", "--codigo", crypto.randomUUID(), "--ambiente", "development"]
  const { empresa_id } = yield* answer("company", "create", ...named)
  yield* answer("catalog", "disable", `${empresa_id}`, "4")
  return String(empresa_id)
})

/** Prints the catalogue with a command, changes the text, and imports it. The import must change nothing. */
const changesNothing = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  extension: string,
  spelled: (text: string) => string = (text) => text
) {
  const { answer, run } = yield* CommandLine
  const { stdout } = yield* run("catalog", ...args)
  const file = yield* fileOf("printed", spelled(stdout), extension)
  const before = yield* stored
  const { cambios } = yield* answer("catalog", "import", file, "--dry-run")
  assert.deepStrictEqual(cambios, [])
  const { paquetes, servicios } = yield* answer("catalog", "import", file)
  assert.deepStrictEqual([servicios, paquetes], [catalogue.servicios.length, catalogue.paquetes.length])
  assert.deepStrictEqual(yield* stored, before)
}, Effect.scoped)

layer(CommandLine.layer, { excludeTestServices: true })("the catalogue as a file", (it) => {
  it.effect("changes nothing when the JSON of a list is imported again", () =>
    Effect.gen(function* () {
      const company = yield* imported
      yield* changesNothing(["list", "--json"], "json")
      yield* changesNothing(["list", company, "--json"], "json")
      yield* changesNothing(["export"], "json")
    })
  )

  // How a spreadsheet may have saved the file.
  it.effect.each([
    ["as it was printed", (text: string) => text],
    ["with the line ends of Windows", (text: string) => text.replace(/\r?\n/g, "\r\n")],
    ["without a byte order mark", (text: string) => text.replace("\ufeff", "")],
    ["with translated booleans", (text: string) => text.replace(/,si,/g, ",VERDADERO,").replace(/,no,/g, ",Falso,")],
    ["with empty lines and rows", (text: string) => `${text}\n\n,,,\n`],
    [
      "with quotes around every cell",
      (text: string) => text.replace(/^categoria,(\d+),(.*?),/gm, '"categoria","$1","$2",')
    ]
  ] as const)("changes nothing when its CSV is imported again %s", ([, spelled]) =>
    Effect.gen(function* () {
      yield* imported
      yield* changesNothing(["export", "--csv"], "csv", spelled)
    })
  )

  it.effect("is read from CSV with semicolons and with columns in any order", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      yield* imported
      const csv = "nombre;entrada;id\nPagos de todo;CATEGORIA;9\n"
      const file = yield* fileOf("semicolons", csv, "CSV")
      assert.deepStrictEqual((yield* answer("catalog", "import", file, "--dry-run")).cambios, [
        {
          entrada: "categoria",
          id: 9,
          cambio: "modificado",
          campos: [{ campo: "nombre", antes: "Pagos únicos", despues: "Pagos de todo" }]
        }
      ])
    })
  )

  it.effect("has a template in CSV, which can be imported and offers nothing", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      yield* imported
      const { stdout } = yield* run("catalog", "export", "--csv", "--plantilla")
      const { cambios } = yield* answer("catalog", "import", yield* fileOf("template", stdout, "csv"), "--dry-run")
      const kinds = cambios.map(({ cambio, entrada }: { cambio: string; entrada: string }) => [cambio, entrada])
      assert.sameDeepMembers(kinds, [
        ["nuevo", "categoria"],
        ["nuevo", "categoria"],
        ["nuevo", "servicio"],
        ["nuevo", "servicio"],
        ["nuevo", "paquete"]
      ])
      const offered = cambios.flatMap(({ campos }: { campos: ReadonlyArray<{ campo: string; despues: unknown }> }) =>
        campos.filter(({ campo, despues }) => campo === "activo" && despues === true)
      )
      assert.deepStrictEqual(offered, [])
    })
  )

  it.effect("shows with --dry-run what an import would change, and changes nothing", () =>
    Effect.gen(function* () {
      const { answer, refusal, run } = yield* CommandLine
      yield* imported
      const before = yield* stored
      const [first] = example.servicios
      const content = {
        categorias: [...example.categorias, { id: 77, nombre: "Nueva" }],
        servicios: [{ ...first, monto_minimo: 30.5, producto_proveedor: "caribe" }]
      }
      const file = yield* fileOf("dry", JSON.stringify(content))
      const { cambios, servicios } = yield* answer("catalog", "import", file, "--dry-run")
      assert.strictEqual(servicios, 1)
      assert.deepStrictEqual(cambios, [
        { entrada: "categoria", id: 77, cambio: "nuevo", campos: [{ campo: "nombre", antes: null, despues: "Nueva" }] },
        {
          entrada: "servicio",
          id: 1,
          cambio: "modificado",
          campos: [
            { campo: "monto_minimo", antes: 20, despues: 30.5 },
            { campo: "producto_proveedor", antes: null, despues: "caribe" }
          ]
        }
      ])
      const { stdout } = yield* run("catalog", "import", file, "--dry-run")
      assert.match(stdout, /^entrada +id +cambio +campo +antes +despues$/m)
      assert.match(stdout, /^categoria +77 +nuevo +nombre +- +Nueva$/m)
      assert.match(stdout, /^servicio +1 +modificado +monto_minimo +20 +30\.5$/m)
      assert.match(stdout, /^servicio +1 +modificado +producto_proveedor +- +caribe$/m)
      const taken = { categorias: [{ id: 77, nombre: category.nombre }], servicios: [] }
      const refused = yield* refusal("catalog", "import", yield* fileOf("taken", JSON.stringify(taken)), "--dry-run")
      assert.strictEqual(refused.code, "CATEGORY_NAME_TAKEN")
      assert.deepStrictEqual(yield* stored, before)
    })
  )

  // Content of a CSV file -> line, column and place of each fault.
  it.effect.each([
    ["an empty file", "", [[1, null, "the file"]]],
    ["no column entrada", "id,nombre\n1,a\n", [[1, null, "the file"]]],
    [
      "an unknown and a repeated column",
      "entrada,id,id,precios\n",
      [
        [1, 3, "the file"],
        [1, 4, "the file"]
      ]
    ],
    ["an unknown kind of row", "entrada,id,nombre\ncategoria,1,a\nproducto,1,a\n", [[3, 1, "the file"]]],
    ["a row that is too long", "entrada,id,nombre\ncategoria,1,a,b\n", [[2, 4, "the file"]]],
    ["an open quote", 'entrada,id,nombre\ncategoria,1,"a\n', [[2, null, "the file"]]],
    [
      "wrong cells",
      'entrada,id,nombre\n\ncategoria,"1,000",a\ncategoria,2,\n',
      [
        [3, 2, "categorias[0].id"],
        [4, 3, "categorias[1].nombre"]
      ]
    ],
    [
      "a cell that its row cannot have",
      "entrada,id,nombre,precio\ncategoria,1,a,5\n",
      [[2, 4, "categorias[0].precio"]]
    ],
    [
      "a boolean in an unknown spelling",
      "entrada,id,nombre,activo\ncategoria,1,a,\nservicio,1,b,quizás\n",
      [[3, 4, "servicios[0].activo"]]
    ]
  ] as const)("is not imported from CSV with %s", ([name, content, places]) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const before = yield* stored
      const { code, details, exit } = yield* refusal("catalog", "import", yield* fileOf(name, content, "csv"))
      assert.deepStrictEqual([exit, code], [1, "CATALOGUE_INVALID"])
      const found = details.errores.map(({ columna, entrada, linea }: Record<string, unknown>) => [
        linea,
        columna,
        entrada
      ])
      for (const place of places) assert.deepInclude(found, place)
      assert.deepStrictEqual(yield* stored, before)
    })
  )

  it.effect.each(["json", "csv"])("is not imported from a %s file in another encoding", (extension) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const file = yield* fileOf("latin1", Buffer.from("entrada,id,nombre\ncategoria,1,Años\n", "latin1"), extension)
      const { code, details } = yield* refusal("catalog", "import", file)
      assert.strictEqual(code, "CATALOGUE_INVALID")
      assert.match(details.errores[0].motivo, /UTF-8/)
    })
  )

  it.effect("is not imported from a list in which the name of a category was changed in the row of a service", () =>
    Effect.gen(function* () {
      const { refusal, run } = yield* CommandLine
      yield* imported
      const { stdout } = yield* run("catalog", "list", "--json")
      const file = yield* fileOf("renamed", stdout.replace('"categoria": "Seguros"', '"categoria": "Otros"'))
      const { details } = yield* refusal("catalog", "import", file)
      assert.deepInclude(details.errores[0], { entrada: "servicios[5].categoria" })
    })
  )

  it.effect("is not imported if a package would share its code with a package outside the file", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      yield* imported
      const other = { ...paquete, id: 92 }
      const content = { categorias: [category], servicios: [paquetes], paquetes: [other] }
      const { code, details } = yield* refusal("catalog", "import", yield* fileOf("code", JSON.stringify(content)))
      assert.deepStrictEqual(
        [code, details],
        ["PACKAGE_CODE_TAKEN", { service_id: 21, codigo: "SEM-3", paquete: 92, otro_paquete: 90 }]
      )
      const both = { ...content, paquetes: [other, { ...paquete, activo: false }] }
      yield* answer("catalog", "import", yield* fileOf("codes", JSON.stringify(both)))
    })
  )
})
