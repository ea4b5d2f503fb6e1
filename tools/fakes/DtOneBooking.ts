import type { FakeProduct } from "./DtOneCatalogue.ts"

/** How a transaction ends, and after how long. */
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
 * By the last three digits of who receives. DT One DVS API 1.23.0, Sandbox. Any other completes when it is asked for.
 */
export const endingOf = (party: string): Ending => {
  const [, delay = "", end = ""] = /([123])0([0-7])$/.exec(party) ?? []
  return { status: endings[end] ?? "COMPLETED", pin: end === "1", delay_ms: delays_ms[delay] ?? 0 }
}

const classes = ["CREATED", "CONFIRMED", "REJECTED", "CANCELLED", "SUBMITTED", "COMPLETED", "REVERSED", "DECLINED"]

/** A status as DT One writes it: its class is what it begins with. */
export const statusOf = (message: string) => {
  const name = classes.find((name) => message.startsWith(name)) ?? message
  const id = classes.indexOf(name) + 1
  return { id: id * 10_000, message, class: { id, message: name } }
}

/** A transaction in the fake's books. */
export interface Booking {
  readonly id: number
  readonly externalId: string
  readonly product: FakeProduct
  readonly party: object
  readonly statement: object | null
  /** Pesos, of a ranged product. */
  readonly amount: number | null
  readonly createdAt_ms: number
  readonly ending: Ending
}

const values = (amount: number) => ({
  source: { unit_type: "CURRENCY", unit: "USD", amount: Math.round((amount / 60) * 100) / 100 },
  destination: { unit_type: "CURRENCY", unit: "DOP", amount }
})

/** A transaction as DT One tells it at an instant. */
export const shown = (booking: Booking, now_ms: number) => {
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
    requested_values: amount === null ? null : values(amount),
    adjusted_values: null,
    credit_party_identifier: party,
    ...(statement === null ? {} : { statement_identifier: statement })
  }
}
