import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { ServiceId } from "../../core/domain/Ids.ts"
import { Amount, Centavos } from "../../core/domain/Money.ts"
import { categoriesOf, type Flow, matching, price, type Service } from "../../core/domain/Service.ts"
import { service } from "./support/Examples.ts"

const priced = (changes: Partial<Service>, amount: number | null, optionId: string | null = null) =>
  Result.match(price({ ...service, ...changes }, { amount: amount === null ? null : Amount.make(amount), optionId }), {
    onSuccess: (centavos) => centavos as number,
    onFailure: ({ details }) => details
  })

const bounds = (minimum: number, maximum: number) => ({
  minimum: Centavos.make(minimum),
  maximum: Centavos.make(maximum)
})

const outside = (least: number, most: number) => ({
  amount: "fuera_de_rango",
  monto_minimo: least,
  monto_maximo: most
})

describe("the price of a sale of a free amount", () => {
  it.each([
    // from, to (centavos), asked -> price, or the details of the refusal
    [2_000, 500_000, 2_000, 2_000],
    [2_000, 500_000, 500_000, 500_000],
    [2_000, 500_000, 1_999, outside(20, 5_000)],
    [2_000, 500_000, 500_001, outside(20, 5_000)],
    [2_050, 500_000, 2_000, outside(20.5, 5_000)],
    // 0 means no bound on that side.
    [0, 500_000, 1, 1],
    [0, 500_000, 500_001, outside(0, 5_000)],
    [2_000, 0, 999_999_999, 999_999_999],
    [2_000, 0, 1_999, outside(20, 0)],
    [0, 0, 1, 1],
    [5_000, 5_000, 5_000, 5_000],
    [2_000, 500_000, null, { amount: "requerido" }]
  ] as const)("from %d to %d, asked for %s: %j", (minimum, maximum, amount, expected) => {
    expect(priced(bounds(minimum, maximum), amount)).toEqual(expected)
  })
})

describe("a sale that needs an option", () => {
  it.each([
    ["paquetes", "/v1/consultas"],
    ["facturas", "/v1/consultas"],
    ["seguros", "/v1/seguros"]
  ] as ReadonlyArray<readonly [Flow, string]>)("of the flow %s says where to look one up", (flow, path) => {
    const refused = { opcion_id: "requerido", flujo: flow, consultar_en: path, como_comprar: service.howToBuy }
    expect(priced({ flow }, null)).toEqual(refused)
    expect(priced({ flow }, 10_000)).toEqual(refused)
  })

  it.each(["paquetes", "facturas", "seguros"] as const)("of the flow %s refuses an option nobody offered", (flow) => {
    expect(priced({ flow }, null, "inventada")).toEqual({ opcion_id: "invalido" })
  })
})

const named = (id: number, name: string, categoryId = 1, category = "Recargas"): Service => ({
  ...service,
  id: ServiceId.make(id),
  name,
  categoryId,
  category
})

const shelf = [
  named(1, "Recarga Claro"),
  named(2, "Recarga Altice"),
  named(4, "Energía Prepagada", 3, "Electricidad"),
  named(5, "Pago CAASD", 4, "Facturas"),
  named(8, "Peaje Paso Rápido", 4, "Facturas")
]

describe("the catalogue, narrowed", () => {
  it.each([
    [{}, [1, 2, 4, 5, 8]],
    [{ name: "" }, [1, 2, 4, 5, 8]],
    [{ name: "recarga" }, [1, 2]],
    [{ name: "RECARGA" }, [1, 2]],
    [{ name: "energia" }, [4]],
    [{ name: "ENERGÍA" }, [4]],
    [{ name: "energi\u0301a" }, [4]],
    [{ name: "rápido" }, [8]],
    [{ name: "RAPIDO" }, [8]],
    [{ name: "récárgá" }, [1, 2]],
    [{ name: "pa" }, [4, 5, 8]],
    [{ name: "nada" }, []],
    [{ name: "%" }, []],
    [{ name: "." }, []],
    [{ category: "Facturas" }, [5, 8]],
    // A category matches exactly or not at all.
    [{ category: "facturas" }, []],
    [{ category: "Factura" }, []],
    [{ category: "" }, []],
    [{ category: "Facturas", name: "peaje" }, [8]],
    [{ category: "Recargas", name: "peaje" }, []]
  ])("by %j", (filter, ids) => {
    expect(matching(shelf, filter).map(({ id }) => id as number)).toEqual(ids)
  })

  it("counts the services of each category, in order of id", () => {
    expect(categoriesOf([...shelf].reverse())).toEqual([
      { id: 1, name: "Recargas", services: 2 },
      { id: 3, name: "Electricidad", services: 1 },
      { id: 4, name: "Facturas", services: 2 }
    ])
    expect(categoriesOf([])).toEqual([])
  })
})
