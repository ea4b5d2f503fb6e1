import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as CataloguePostgres from "../../adapters/postgres/CataloguePostgres.ts"
import { ServiceId } from "../../core/domain/Ids.ts"
import { Catalogue } from "../../core/ports/Catalogue.ts"
import example from "../../facade/settings/catalogue.example.json" with { type: "json" }
import { CommandLine } from "../support/CommandLine.ts"
import { category, paquete, service, withPackages } from "./support/CatalogueEntries.ts"
import { fileOf } from "./support/FileOf.ts"

layer(CommandLine.layer, { excludeTestServices: true })("an import of the catalogue", (it) => {
  it.effect("adds what is new, replaces what is known and leaves the rest", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const first = yield* fileOf("first", JSON.stringify(example))
      assert.deepStrictEqual(yield* answer("catalog", "import", first), { categorias: 6, servicios: 8, paquetes: 4 })
      const changed = { ...example.servicios[0], nombre: "Recarga Nueva", categoria_id: 9, activo: false }
      const second = yield* fileOf("second", JSON.stringify({ categorias: [category], servicios: [service, changed] }))
      assert.deepStrictEqual(yield* answer("catalog", "import", second), { categorias: 1, servicios: 2, paquetes: 0 })
      const { items } = yield* answer("catalog", "list")
      assert.deepStrictEqual(
        items.map(({ id, nombre }: { id: number; nombre: string }) => [id, nombre]),
        [[1, "Recarga Nueva"], ...example.servicios.slice(1).map(({ id, nombre }) => [id, nombre]), [20, "Pago Único"]]
      )
      assert.deepStrictEqual(items.at(-1), { ...service, categoria: "Pagos únicos", activo: true })
      assert.deepStrictEqual(items[0].activo, false)
    })
  )

  it.effect("puts packages on sale, changes them and withdraws them", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      // Of two packages with one code, one is on sale.
      const more = { ...paquete, id: 91, nombre: "Quincena", activo: false }
      yield* answer("catalog", "import", yield* fileOf("packages", JSON.stringify(withPackages(paquete, more))))
      const onSale = Catalogue.use((catalogue) => catalogue.packages(ServiceId.make(21))).pipe(
        Effect.provide(Layer.fresh(CataloguePostgres.layer)),
        Effect.map((packages) => packages.map(({ id, name, price }) => [id, name, price as number]))
      )
      assert.deepStrictEqual(yield* onSale, [[90, "Semana", 15_050]])
      const changed = withPackages({ ...paquete, activo: false }, { ...more, precio: 200, activo: true })
      yield* answer("catalog", "import", yield* fileOf("changed", JSON.stringify(changed)))
      assert.deepStrictEqual(yield* onSale, [[91, "Quincena", 20_000]])
    })
  )

  it.effect("that takes the name of another category stores nothing", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const known = { id: 30, nombre: "Conocida" }
      yield* answer("catalog", "import", yield* fileOf("known", JSON.stringify({ categorias: [known], servicios: [] })))
      const before = yield* answer("catalog", "list")
      const content = {
        categorias: [category, { id: 31, nombre: "Conocida" }],
        servicios: [{ ...service, nombre: "Otro" }]
      }
      const { code, exit } = yield* refusal("catalog", "import", yield* fileOf("taken", JSON.stringify(content)))
      assert.deepStrictEqual([exit, code], [1, "CATEGORY_NAME_TAKEN"])
      assert.deepStrictEqual(yield* answer("catalog", "list"), before)
    })
  )
})
