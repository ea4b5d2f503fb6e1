import type { Company } from "../../core/domain/Company.ts"
import { CompanyId, IdempotencyKey, Identifier, ServiceId, TokenId } from "../../core/domain/Ids.ts"
import { Amount, Centavos, zero } from "../../core/domain/Money.ts"
import type { Intent } from "../../core/domain/Sale.ts"
import type { Package, Service } from "../../core/domain/Service.ts"
import type { Session } from "../../core/domain/Session.ts"
import type { Token } from "../../core/domain/Token.ts"
import { insuranceServiceId } from "./InsuranceExample.ts"

/** The fields of a sale whose amount the caller chose and that has no reversal. The buyer and the item are left out. */
export const plainSale = {
  terminalId: null,
  optionId: null,
  billId: null,
  insuranceId: null,
  product: null,
  reference: null,
  reversible: false
} as const satisfies Partial<Intent>

export const company: Company = {
  id: CompanyId.make(7),
  legalName: "Colmado Doña Ana SRL",
  code: "COL-7",
  environment: "development",
  state: "activa",
  apiEnabled: true,
  insuranceEnabled: false,
  cell: "cell"
}

export const token: Token = {
  id: TokenId.make(70),
  companyId: company.id,
  name: "caja",
  apiKey: "colmado",
  permissions: [],
  addresses: [],
  expiresAt: null,
  state: "active",
  callsPerMinute: null,
  realLookups: false
}

export const session: Session = { company, token, isClosed: false }

/** A service for which the caller chooses an amount from 20 to 5000 pesos. */
export const service: Service = {
  id: ServiceId.make(1),
  name: "Recarga Caribe Móvil",
  description: "Recarga de balance",
  type: "mobile_recharge",
  category: "Recargas",
  categoryId: 1,
  minimum: Centavos.make(2_000),
  maximum: Centavos.make(500_000),
  reversible: false,
  flow: "monto_libre",
  requiresLookup: false,
  howToBuy: "Envíe el monto",
  product: null
}

/** A service whose price is the price of a package. */
export const packageService: Service = {
  ...service,
  id: ServiceId.make(3),
  name: "Paquetes",
  type: "data_package",
  minimum: zero,
  maximum: zero,
  flow: "paquetes",
  requiresLookup: true,
  howToBuy: "Consulte y elija un paquete",
  product: null
}

/** A service whose price is the amount of a bill. */
export const billService: Service = {
  ...packageService,
  id: ServiceId.make(5),
  name: "Pago CAASD",
  type: "generic",
  category: "Facturas",
  categoryId: 4,
  flow: "facturas",
  howToBuy: "Consulte y elija una factura",
  product: null
}

export const insuranceService: Service = {
  ...packageService,
  id: insuranceServiceId,
  name: "Seguro de ley",
  type: "insurance",
  category: "Seguros",
  categoryId: 5,
  flow: "seguros",
  requiresLookup: false,
  howToBuy: "Siga los pasos",
  product: "seguro-de-ley"
}

const aPackage = (id: number, centavos: number): Package => ({
  id,
  serviceId: packageService.id,
  code: `P${id}`,
  name: `Paquete ${id}`,
  description: "Datos",
  price: Amount.make(centavos),
  duration: "7 días",
  data: "3 GB",
  minutes: 60,
  sms: 50
})

export const packages: ReadonlyArray<Package> = [aPackage(1, 15_000), aPackage(2, 29_550)]

/** A sale of company 7. As in production, its xid is derived from its key. */
export const intent = (changes: { readonly key?: string; readonly amount?: number; readonly body?: string } = {}) => {
  const key = IdempotencyKey.make(changes.key ?? "k1")
  const made: Intent = {
    ...plainSale,
    companyId: company.id,
    environment: company.environment,
    key,
    fingerprint: changes.body ?? "aa",
    xid: `RD-${key}`,
    service: { id: service.id, name: service.name, type: service.type },
    identifier: Identifier.make("8095551234"),
    amount: Amount.make(changes.amount ?? 10_000)
  }
  return made
}

/** The tag and the fields of an error as a plain object, because `assert.deepStrictEqual` ignores fields of errors. */
export const factsOf = (error: { readonly _tag: string }): object => ({ ...error })
