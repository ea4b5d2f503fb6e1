/** Final status of a transaction, and the delay until the transaction reaches it. */
export interface Ending {
  readonly status: string
  readonly pin: boolean
  readonly delay_ms: number
}

const endings: Record<string, string> = {
  "0": "COMPLETED",
  "1": "COMPLETED",
  "2": "DECLINED-INVALID-CREDIT-PARTY",
  "3": "DECLINED-BARRED-CREDIT-PARTY",
  "4": "DECLINED-OPERATOR-CURRENTLY-UNAVAILABLE",
  "5": "DECLINED-DUPLICATED-TRANSACTION",
  "6": "DECLINED",
  "7": "DECLINED-EXCEPTION"
}

const delays_ms: Record<string, number> = { "1": 3000, "2": 20_000, "3": 300_000 }

/**
 * The final status and delay that the last three digits of the receiver select, as in DT One DVS API 1.23.0, Sandbox.
 * For other digits, the transaction completes at the first status query.
 */
export const endingOf = (party: string): Ending => {
  const [, delay = "", end = ""] = /([123])0([0-7])$/.exec(party) ?? []
  return { status: endings[end] ?? "COMPLETED", pin: end === "1", delay_ms: delays_ms[delay] ?? 0 }
}

const classes = ["CREATED", "CONFIRMED", "REJECTED", "CANCELLED", "SUBMITTED", "COMPLETED", "REVERSED", "DECLINED"]

/** A status in DT One's form. The first word of the message determines the class of the status. */
export const statusOf = (message: string) => {
  const name = classes.find((name) => message.startsWith(name)) ?? message
  const id = classes.indexOf(name) + 1
  return { id: id * 10_000, message, class: { id, message: name } }
}

/** A transaction stored by the fake. */
export interface Booking {
  readonly id: number
  readonly externalId: string
  readonly product: FakeProduct
  readonly party: object
  readonly statement: object | null
  /** Amount in pesos, for a product with a price range; otherwise null. */
  readonly amount: number | null
  readonly createdAt_ms: number
  readonly ending: Ending
}

const requestedValues = (amount: number) => ({
  source: { unit_type: "CURRENCY", unit: "USD", amount: Math.round((amount / 60) * 100) / 100 },
  destination: { unit_type: "CURRENCY", unit: "DOP", amount }
})

/** The JSON that DT One returns for a transaction at a given time. */
export const transactionJson = (booking: Booking, now_ms: number) => {
  const { amount, ending, externalId, id, party, product, statement } = booking
  const ended = now_ms >= booking.createdAt_ms + ending.delay_ms
  const completed = ended && ending.status === "COMPLETED"
  return {
    id,
    external_id: externalId,
    creation_date: new Date(booking.createdAt_ms).toISOString(),
    confirmation_date: new Date(booking.createdAt_ms).toISOString(),
    status: statusOf(ended ? ending.status : "SUBMITTED"),
    operator_reference: completed ? `OP${id}` : null,
    pin: completed && ending.pin ? { code: "12345678901234567890", serial: `S${id}` } : null,
    product,
    prices: { wholesale: { unit_type: "CURRENCY", unit: "USD", amount: 1.5, fee: 0 }, retail: null },
    rates: { base: 60, wholesale: 58, retail: null },
    benefits: null,
    promotions: null,
    requested_values: amount === null ? null : requestedValues(amount),
    adjusted_values: null,
    credit_party_identifier: party,
    ...(statement === null ? {} : { statement_identifier: statement })
  }
}

/** Products and bills of a fake DT One account. Prices are in pesos, as in DT One's API. */

const byMobileNumber = [["mobile_number"]]
const byAccountNumber = [["account_number"]]

const noOtherFields = {
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

/** A product of the fake. */
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

const rangedProduct = (
  id: number,
  name: string,
  type: string,
  phone: boolean,
  min: number,
  max: number
): FakeProduct => ({
  id,
  name,
  type,
  ...noOtherFields,
  ...{ required_credit_party_identifier_fields: phone ? byMobileNumber : byAccountNumber },
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

const fixedProduct = (id: number, name: string, amount: number, more: object = {}): FakeProduct => ({
  id,
  name,
  type: "FIXED_VALUE_RECHARGE",
  ...noOtherFields,
  ...{ required_credit_party_identifier_fields: byMobileNumber, validity: validity("DAY", 7), benefits: data(2) },
  operator: operators.mobile,
  destination: { ...{ unit_type: "CURRENCY" }, unit: "DOP", amount },
  ...more
})

/** Product ids by use. */
export const productIds = {
  operator: 50,
  topUp: 1001,
  credit: 1002,
  day: 2001,
  week: 2002,
  electricity: 3001,
  bills: 4001
} as const

export const products: ReadonlyArray<FakeProduct> = [
  rangedProduct(productIds.topUp, "Recarga Caribe Móvil", "RANGED_VALUE_RECHARGE", true, 20, 5000),
  rangedProduct(productIds.credit, "Crédito de juego", "RANGED_VALUE_RECHARGE", false, 20, 5000),
  fixedProduct(productIds.day, "Día 1 GB", 50, { validity: validity("DAY", 1), benefits: data(1) }),
  fixedProduct(productIds.week, "Semana 2 GB", 150.5),
  fixedProduct(2003, "Ilimitado", 900, { validity: validity("MONTH", -1), benefits: data(-1) }),
  fixedProduct(2004, "De paso", 10, { validity: null, benefits: null }),
  fixedProduct(2005, "En dólares", 5, { destination: { unit_type: "CURRENCY", unit: "USD", amount: 5 } }),
  fixedProduct(2006, "Con remitente", 60, { required_sender_fields: [["first_name", "last_name"]] }),
  fixedProduct(2007, "A cuenta", 70, { required_credit_party_identifier_fields: byAccountNumber }),
  fixedProduct(2008, "A fracciones", 70.125),
  rangedProduct(productIds.electricity, "Luz prepago", "RANGED_VALUE_PIN_PURCHASE", false, 100, 10_000),
  rangedProduct(productIds.bills, "Facturas de agua", "RANGED_VALUE_PAYMENT", false, 1, 100_000)
]

/** A bill in DT One's form. */
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
