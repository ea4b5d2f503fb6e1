import { describe, expect, it } from "@effect/vitest"
import { ServiceId } from "../../../core/domain/Ids.ts"
import { lacksRechargeToken, readRechargeToken, rechargeTokenForm } from "../../../core/domain/Sale.ts"
import {
  Availability,
  availabilityTo,
  categoriesOf,
  matching,
  mayBeSoldBy,
  type Service,
  ServiceType
} from "../../../core/domain/Service.ts"
import { company, insuranceService, service } from "../../support/Examples.ts"

const token = "1234 5678 9012 3456 7890"

describe("a meter token", () => {
  it.each([
    [token, token],
    ["12345678901234567890", token],
    ["1234-5678-9012-3456-7890", token],
    [" 12345 67890 12345 67890 ", token],
    ["1234 5678 9012 3456 789", null],
    ["1234 5678 9012 3456 78901", null],
    ["1234 5678 9012 3456 789O", null],
    ["", null]
  ])("is normalized from %j to the printed form %j", (typed, read) => {
    expect(readRechargeToken(typed)).toBe(read)
    if (read !== null) expect(read).toMatch(rechargeTokenForm)
  })

  it("is required for electricity only", () => {
    expect(ServiceType.literals.filter((type) => lacksRechargeToken(type, null))).toEqual(["electricity_prepaid"])
    expect(ServiceType.literals.filter((type) => lacksRechargeToken(type, token))).toEqual([])
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
  named(1, "Recarga Caribe Móvil"),
  named(2, "Recarga Altice"),
  named(4, "Energía Prepagada", 3, "Electricidad"),
  named(5, "Pago CAASD", 4, "Facturas"),
  named(8, "Peaje Paso Rápido", 4, "Facturas"),
  named(9, "Club ^A · Norte", 4, "Facturas")
]

describe("the filtered catalogue", () => {
  it.each([
    [{}, [1, 2, 4, 5, 8, 9]],
    [{ name: "" }, [1, 2, 4, 5, 8, 9]],
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
    [{ name: " recarga " }, [1, 2]],
    [{ name: "\u00a0" }, [1, 2, 4, 5, 8, 9]],
    [{ name: "^a" }, [9]],
    [{ name: "^" }, [9]],
    [{ name: "`" }, []],
    [{ name: "´" }, []],
    [{ name: "¨" }, []],
    [{ name: "·" }, [9]],
    [{ name: "\u0301" }, []],
    [{ name: "%" }, []],
    [{ name: "." }, []],
    [{ category: "Facturas" }, [5, 8, 9]],
    // A category matches only if its text is equal.
    [{ category: "facturas" }, []],
    [{ category: "Factura" }, []],
    [{ category: "" }, []],
    [{ category: "Facturas", name: "peaje" }, [8]],
    [{ category: "Recargas", name: "peaje" }, []]
  ])("contains only the matching services for the filter %j", (filter, ids) => {
    expect(matching(shelf, filter).map(({ id }) => id as number)).toEqual(ids)
  })

  it("counts the services of each category, ordered by id", () => {
    expect(categoriesOf([...shelf].reverse())).toEqual([
      { id: 1, name: "Recargas", services: 2 },
      { id: 3, name: "Electricidad", services: 1 },
      { id: 4, name: "Facturas", services: 3 }
    ])
    expect(categoriesOf([])).toEqual([])
  })
})

describe("the availability of a service", () => {
  const available = (of: Service) => Availability.Available({ service: of })
  it.each([
    // type, insurance enabled -> availability
    ["a service", service, false, available(service)],
    ["a service", service, true, available(service)],
    ["an insurance", insuranceService, true, available(insuranceService)],
    ["an insurance", insuranceService, false, Availability.InsuranceNotEnabled()],
    ["a service that does not exist", undefined, true, Availability.Unknown()],
    ["a service that does not exist", undefined, false, Availability.Unknown()]
  ] as const)(
    "depends for %s on the kind of service and on whether insurance is enabled",
    (_, sought, insuranceEnabled, expected) => {
      const seller = { ...company, insuranceEnabled }
      expect(availabilityTo(seller, sought)).toEqual(expected)
      if (sought !== undefined) expect(mayBeSoldBy(seller, sought)).toBe(expected._tag === "Available")
    }
  )
})
