import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as CataloguePostgres from "../../../adapters/postgres/directory/CataloguePostgres.ts"
import { CompanyId, ServiceId } from "../../../core/domain/Ids.ts"
import { Catalogue } from "../../../core/ports/Catalogue.ts"
import example from "../../../facade/settings/catalogue.example.json" with { type: "json" }
import { CommandLine } from "../../support/CommandLine.ts"
import { company } from "../../support/Examples.ts"
import { category, fileOf, paquete, service, withPackages } from "../support/CatalogueFiles.ts"
import { createCompany } from "../support/NewCompany.ts"

layer(CommandLine.layer, { excludeTestServices: true })("an import of the catalogue", (it) => {
  it.effect("adds new entries, replaces known entries and keeps the others", () =>
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
      // Two packages may share a code if only one of them is on sale.
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

  it.effect("stores nothing when a category has the name of another category", () =>
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

const idsWhere = (items: ReadonlyArray<Record<string, unknown>>, field: string) =>
  items.filter((item) => item[field] === true).map(({ id }) => id)

layer(CommandLine.layer, { excludeTestServices: true })("a service", (it) => {
  it.effect("is offered to every company except those from which an operator withholds it", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      yield* answer("catalog", "import", yield* fileOf("all", JSON.stringify(example)))
      const one = (yield* createCompany("UNA", "--seguros")).empresa_id
      const other = (yield* createCompany("OTRA")).empresa_id
      const offered = (company: number) =>
        Effect.map(answer("catalog", "list", `${company}`), ({ items }) => idsWhere(items, "habilitado"))

      assert.deepStrictEqual(yield* offered(one), [1, 2, 3, 4, 5, 6, 7, 8])
      assert.deepStrictEqual(yield* offered(other), [1, 2, 3, 4, 5, 7, 8])
      assert.deepStrictEqual(yield* answer("catalog", "disable", `${one}`, "4"), {
        empresa_id: one,
        service_id: 4,
        habilitado: false
      })
      assert.deepStrictEqual(yield* offered(one), [1, 2, 3, 5, 6, 7, 8])
      assert.deepStrictEqual(yield* offered(other), [1, 2, 3, 4, 5, 7, 8])
      yield* answer("catalog", "enable", `${one}`, "4")
      assert.deepStrictEqual(yield* offered(one), [1, 2, 3, 4, 5, 6, 7, 8])
    })
  )

  it.effect(
    "is available to a company, unknown if withheld, and refused if it is insurance that the company may not sell",
    () =>
      Effect.gen(function* () {
        const { answer } = yield* CommandLine
        yield* answer("catalog", "import", yield* fileOf("found", JSON.stringify(example)))
        const { empresa_id } = yield* createCompany("CUARTA")
        const ids = [...example.servicios.map(({ id }) => id), 99].map((id) => ServiceId.make(id))
        // The availability of each service id in a newly started server. The available services must equal
        // the list of services.
        const found = (insuranceEnabled: boolean) =>
          Effect.gen(function* () {
            const { find, services } = yield* Catalogue
            const seller = { ...company, id: CompanyId.make(empresa_id), insuranceEnabled }
            const all = yield* Effect.forEach(ids, (id) => find(seller, id))
            const available = all.flatMap((each) => (each._tag === "Available" ? [each.service] : []))
            assert.deepStrictEqual(available, yield* services(seller))
            return all.map((each) => (each._tag === "Available" ? each.service.id : each._tag))
          }).pipe(Effect.provide(Layer.fresh(CataloguePostgres.layer)))

        assert.deepStrictEqual(yield* found(true), [1, 2, 3, 4, 5, 6, 7, 8, "Unknown"])
        assert.deepStrictEqual(yield* found(false), [1, 2, 3, 4, 5, "InsuranceNotEnabled", 7, 8, "Unknown"])
        for (const withheld of ["2", "6"]) yield* answer("catalog", "disable", `${empresa_id}`, withheld)
        for (const insuranceEnabled of [true, false]) {
          const expected = [1, "Unknown", 3, 4, 5, "Unknown", 7, 8, "Unknown"]
          assert.deepStrictEqual(yield* found(insuranceEnabled), expected)
        }
      })
  )

  it.effect("is withdrawn from all companies by one command, and restored by another", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      yield* answer("catalog", "import", yield* fileOf("withdrawn", JSON.stringify(example)))
      const { empresa_id } = yield* createCompany("QUINTA")
      yield* answer("catalog", "disable", `${empresa_id}`, "2")
      const offered = Catalogue.use(({ services }) =>
        services({ ...company, id: CompanyId.make(empresa_id), insuranceEnabled: true })
      ).pipe(
        Effect.provide(Layer.fresh(CataloguePostgres.layer)),
        Effect.map((services) => services.map(({ id }) => id as number))
      )
      const sql = yield* PgClient.PgClient
      const audited = Effect.map(
        sql<{ action: string; service: number }>`
          select action, (details ->> 'serviceId')::int as service
          from directory.audit_event
          where action in ('service_withdrawn', 'service_restored')
          order by id`,
        (rows) => rows.map(({ action, service }) => [action, service])
      )

      assert.deepStrictEqual(yield* answer("catalog", "withdraw", "4"), { service_id: 4, activo: false })
      assert.deepStrictEqual(yield* offered, [1, 3, 5, 6, 7, 8])
      assert.deepStrictEqual(yield* answer("catalog", "restore", "4"), { service_id: 4, activo: true })
      assert.deepStrictEqual(yield* offered, [1, 3, 4, 5, 6, 7, 8])
      assert.deepStrictEqual(yield* audited, [
        ["service_withdrawn", 4],
        ["service_restored", 4]
      ])
      const { code, exit } = yield* refusal("catalog", "withdraw", "99")
      assert.deepStrictEqual([exit, code], [1, "SERVICE_NOT_FOUND"])
    })
  )

  it.effect("cannot be withheld when it does not exist", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { empresa_id } = yield* createCompany("TERCERA")
      const { code, details, exit } = yield* refusal("catalog", "disable", `${empresa_id}`, "99")
      assert.deepStrictEqual([exit, code, details], [1, "SERVICE_NOT_FOUND", { service_id: 99 }])
    })
  )
})
