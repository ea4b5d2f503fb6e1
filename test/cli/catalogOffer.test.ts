import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as CataloguePostgres from "../../adapters/postgres/CataloguePostgres.ts"
import { CompanyId, ServiceId } from "../../core/domain/Ids.ts"
import { Catalogue } from "../../core/ports/Catalogue.ts"
import example from "../../facade/settings/catalogue.example.json" with { type: "json" }
import { CommandLine } from "../support/CommandLine.ts"
import { company } from "../unit/support/Examples.ts"
import { fileOf } from "./support/FileOf.ts"

const createCompany = (code: string, ...more: ReadonlyArray<string>) =>
  CommandLine.use(({ answer }) =>
    answer("company", "create", "--razon-social", code, "--codigo", code, "--ambiente", "development", ...more)
  )

const idsWhere = (items: ReadonlyArray<Record<string, unknown>>, field: string) =>
  items.filter((item) => item[field] === true).map(({ id }) => id)

layer(CommandLine.layer, { excludeTestServices: true })("a service", (it) => {
  it.effect("is every company's until it is withheld from one", () =>
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

  it.effect("is found by whoever may sell it, and insurance is told from what is unknown", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      yield* answer("catalog", "import", yield* fileOf("found", JSON.stringify(example)))
      const { empresa_id } = yield* createCompany("CUARTA")
      const ids = [...example.servicios.map(({ id }) => id), 99].map((id) => ServiceId.make(id))
      // What a server answers that starts now: of each id how it is found, beside the list.
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

  it.effect("that does not exist cannot be withheld", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { empresa_id } = yield* createCompany("TERCERA")
      const { code, details, exit } = yield* refusal("catalog", "disable", `${empresa_id}`, "99")
      assert.deepStrictEqual([exit, code, details], [1, "SERVICE_NOT_FOUND", { service_id: 99 }])
    })
  )
})
