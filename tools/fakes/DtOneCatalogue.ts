/** What a fake account with DT One may sell, and the bills of its accounts. Prices are pesos, as on its wire. */

const anybody = [["mobile_number"]]
const accountHolder = [["account_number"]]

const asksNothingElse = {
  required_debit_party_identifier_fields: null,
  required_sender_fields: null,
  required_beneficiary_fields: null,
  required_statement_identifier_fields: null,
  required_additional_identifier_fields: null
}

const operators = {
  mobile: {
    id: 50,
    name: "Caribe Móvil",
    country: { name: "Dominican Republic", iso_code: "DOM", regions: null },
    regions: null
  },
  utility: {
    id: 60,
    name: "Luz del Este",
    country: { name: "Dominican Republic", iso_code: "DOM", regions: null },
    regions: null
  }
}

/** A product of the fake's. */
export interface FakeProduct {
  readonly id: number
  readonly name: string
  readonly type: string
  readonly operator: { readonly id: number }
  readonly destination: {
    readonly unit: string
    readonly amount: number | { readonly min: number; readonly max: number; readonly increment: number }
  }
}

const ranged = (id: number, name: string, type: string, phone: boolean, min: number, max: number): FakeProduct => ({
  id,
  name,
  type,
  ...asksNothingElse,
  ...{ required_credit_party_identifier_fields: phone ? anybody : accountHolder },
  operator: phone ? operators.mobile : operators.utility,
  destination: { ...{ unit_type: "CURRENCY" }, unit: "DOP", amount: { min, max, increment: 1 } }
})

const validity = (unit: string, quantity: number | null) => ({ unit, quantity })

const data = (total: number) => [
  {
    type: "DATA",
    unit_type: "DATA",
    unit: "GB",
    amount: { base: total, promotion_bonus: 0, total_excluding_tax: total, total_including_tax: total },
    additional_information: null
  }
]

const bundle = (id: number, name: string, amount: number, more: object = {}): FakeProduct => ({
  id,
  name,
  type: "FIXED_VALUE_RECHARGE",
  ...asksNothingElse,
  ...{ required_credit_party_identifier_fields: anybody, validity: validity("DAY", 7), benefits: data(2) },
  operator: operators.mobile,
  destination: { ...{ unit_type: "CURRENCY" }, unit: "DOP", amount },
  ...more
})

/** Their ids, by what they stand for. */
export const ids = {
  operator: 50,
  topUp: 1001,
  credit: 1002,
  day: 2001,
  week: 2002,
  electricity: 3001,
  bills: 4001
} as const

export const products: ReadonlyArray<FakeProduct> = [
  ranged(ids.topUp, "Recarga Caribe Móvil", "RANGED_VALUE_RECHARGE", true, 20, 5000),
  ranged(ids.credit, "Crédito de juego", "RANGED_VALUE_RECHARGE", false, 20, 5000),
  bundle(ids.day, "Día 1 GB", 50, { validity: validity("DAY", 1), benefits: data(1) }),
  bundle(ids.week, "Semana 2 GB", 150.5),
  bundle(2003, "Ilimitado", 900, { validity: validity("MONTH", -1), benefits: data(-1) }),
  bundle(2004, "De paso", 10, { validity: null, benefits: null }),
  bundle(2005, "En dólares", 5, { destination: { unit_type: "CURRENCY", unit: "USD", amount: 5 } }),
  bundle(2006, "Con remitente", 60, { required_sender_fields: [["first_name", "last_name"]] }),
  bundle(2007, "A cuenta", 70, { required_credit_party_identifier_fields: accountHolder }),
  bundle(2008, "A fracciones", 70.125),
  ranged(ids.electricity, "Luz prepago", "RANGED_VALUE_PIN_PURCHASE", false, 100, 10_000),
  ranged(ids.bills, "Facturas de agua", "RANGED_VALUE_PAYMENT", false, 1, 100_000)
]

/** A bill as DT One tells it. */
export interface FakeStatement {
  readonly reference: string
  readonly dates: { readonly due?: string; readonly statement?: string }
  readonly balance: { readonly unit_type: "CURRENCY"; readonly unit: string; readonly amount: number }
}

export const statement = (reference: string, amount: number, due?: string, unit = "DOP"): FakeStatement => ({
  reference,
  dates: { statement: "2026-02-01", ...(due === undefined ? {} : { due }) },
  balance: { unit_type: "CURRENCY", unit, amount }
})
