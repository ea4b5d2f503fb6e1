import { Effect, Option } from "effect"
import type { Company } from "../../../core/domain/Company.ts"
import { CompanyId, ServiceId, TokenId } from "../../../core/domain/Ids.ts"
import { Amount, Centavos } from "../../../core/domain/Money.ts"
import { availabilityTo, type Package, type Service } from "../../../core/domain/Service.ts"
import type { Session } from "../../../core/domain/Session.ts"
import { Catalogue } from "../../../core/ports/Catalogue.ts"
import { Companies } from "../../../core/ports/Companies.ts"

const company = (id: number, changes: Partial<Company> = {}): Company => ({
  id: CompanyId.make(id),
  legalName: `Comercio ${id}`,
  code: `C${id}`,
  environment: "production",
  state: "activa",
  apiEnabled: true,
  insuranceEnabled: true,
  cell: "cell",
  ...changes
})

/** Three companies in production, in two cells, and the shared sandbox. Books in memory have no cells. */
export const companies: ReadonlyArray<Company> = [
  company(1),
  company(2, { cell: "norte" }),
  company(3),
  company(4, { code: "SANDBOX", environment: "development" })
]

/** The cells of the companies, beginning with the first cell. */
export const simulatedCells: ReadonlyArray<string> = [...new Set(companies.map(({ cell }) => cell))]

const companyOf = (id: number): Company => {
  const found = companies.find((each) => each.id === id)
  if (found === undefined) throw new Error(`there is no company ${id}`)
  return found
}

/** The cell of a company. */
export const cellOf = (id: number): string => companyOf(id).cell

/** The session of a caller of a company. */
export const sessionOf = (id: number): Session => ({
  company: companyOf(id),
  isClosed: false,
  token: {
    id: TokenId.make(id),
    companyId: CompanyId.make(id),
    name: "caja",
    apiKey: `key-${id}`,
    permissions: [],
    addresses: [],
    expiresAt: null,
    state: "active",
    callsPerMinute: null,
    realLookups: true
  }
})

const service = (id: number, type: Service["type"], flow: Service["flow"], reversible = false): Service => ({
  id: ServiceId.make(id),
  name: `Servicio ${id}`,
  description: "",
  type,
  category: "Todo",
  categoryId: 1,
  minimum: Centavos.make(0),
  maximum: Centavos.make(0),
  reversible,
  flow,
  requiresLookup: flow !== "monto_libre",
  howToBuy: "",
  product: null
})

/** One service for each flow, and one more service that accepts any amount and is reversible. */
export const serviceIds = { recharge: 1, packages: 3, energy: 4, bills: 5, insurance: 6, credit: 7 } as const

const services: ReadonlyArray<Service> = [
  service(serviceIds.recharge, "mobile_recharge", "monto_libre"),
  service(serviceIds.packages, "data_package", "paquetes"),
  service(serviceIds.energy, "electricity_prepaid", "monto_libre"),
  service(serviceIds.bills, "generic", "facturas"),
  service(serviceIds.insurance, "insurance", "seguros"),
  service(serviceIds.credit, "platform_sport", "monto_libre", true)
]

const packages: ReadonlyArray<Package> = [1, 2].map((id) => ({
  id,
  serviceId: ServiceId.make(serviceIds.packages),
  code: `P${id}`,
  name: `Paquete ${id}`,
  description: "",
  price: Amount.make(id * 10_000),
  duration: "1 día",
  data: "1 GB",
  minutes: 0,
  sms: 0
}))

const byId = new Map(services.map((each) => [each.id, each]))

/** The catalogue. It does not change during a run. */
export const catalogue = Catalogue.of({
  services: () => Effect.succeed(services),
  find: (seller, serviceId) => Effect.succeed(availabilityTo(seller, byId.get(serviceId))),
  packages: (serviceId) => Effect.succeed(serviceId === serviceIds.packages ? packages : [])
})

const unchanging = Effect.die(new Error("companies do not change in a run"))

export const companyDirectory = Companies.of({
  create: () => unchanging,
  change: () => unchanging,
  find: (id) => Effect.succeed(Option.fromUndefinedOr(companies.find((each) => each.id === id))),
  findByCode: (code) => Effect.succeed(Option.fromUndefinedOr(companies.find((each) => each.code === code))),
  list: Effect.succeed(companies)
})
