import { assert, describe, it } from "@effect/vitest"
import { eventInvariants } from "./EventInvariants.ts"
import type { Books, EventRow, Evidence } from "./Evidence.ts"

const noIds = { saleId: null, reversalId: null, policyId: null, entryId: null, available: null, alert: null }

const event = (sequence: number, type: string, changes: Partial<EventRow>): EventRow => ({
  companyId: 1,
  sequence,
  type,
  ...noIds,
  ...changes
})

const failedSale = { companyId: 1, id: 3, xid: "RD-3", status: "FAILED", centavos: 100, authCode: null }

const balance = { companyId: 1, owned: 1_100, available: 1_100, alert: 200, eventsOn: true }

/**
 * The books of a company with events on. Sale 1 was pending, succeeded and was reversed. Sale 2 is a policy. Sale 3
 * failed. The balance was low until a deposit.
 */
const books: Books = {
  sales: [
    { companyId: 1, id: 1, xid: "RD-1", status: "REVERSED", centavos: 500, authCode: "A1" },
    { companyId: 1, id: 2, xid: "RD-2", status: "SUCCESS", centavos: 900, authCode: "A2" },
    failedSale
  ],
  reversals: [
    { companyId: 1, id: 4, xid: "RV-0", saleId: 1, status: "DENIED" },
    { companyId: 1, id: 5, xid: "RV-1", saleId: 1, status: "CONFIRMED" }
  ],
  policies: [{ companyId: 1, id: 6, state: "emitida", policyNumber: "P-6" }],
  byHand: [
    { companyId: 1, id: 7, type: "deposit", reference: "D-1", centavos: 1_000 },
    { companyId: 1, id: 8, type: "adjustment", reference: "C-1", centavos: -50 }
  ],
  confirmed: [{ number: 1, audited: 1 }],
  events: [
    event(1, "transaction.pending", { saleId: 1 }),
    event(2, "transaction.succeeded", { saleId: 1 }),
    event(3, "reversal.failed", { saleId: 1, reversalId: 4 }),
    event(4, "transaction.reversed", { saleId: 1, reversalId: 5 }),
    event(5, "transaction.succeeded", { saleId: 2 }),
    event(6, "insurance.issued", { saleId: 2, policyId: 6 }),
    event(7, "balance.low", { available: 100, alert: 200 }),
    event(8, "transaction.failed", { saleId: 3 }),
    event(9, "balance.deposited", { entryId: 7 }),
    event(10, "balance.recovered", { available: 1_100, alert: 200 }),
    event(11, "balance.adjusted", { entryId: 8 })
  ],
  balances: [balance],
  closings: { stored: 0, unclosed: [], broken: [] },
  placements: [],
  alerts: [],
  broken: []
}

const ofSale = (transaction_id: number, status: string, amount: number, auth_code: string | null) => ({
  transaction_id,
  xid: `RD-${transaction_id}`,
  status,
  amount,
  auth_code
})

/** The data of each event, in the order of the events. */
const data: ReadonlyArray<object> = [
  ofSale(1, "PENDING", 5, null),
  ofSale(1, "SUCCESS", 5, "A1"),
  ofSale(1, "SUCCESS", 5, "A1"),
  ofSale(1, "REVERSED", 5, "A1"),
  ofSale(2, "SUCCESS", 9, "A2"),
  { seguro_id: 6, transaction_id: 2, numero_poliza: "P-6" },
  { saldo_disponible: 1, alerta_saldo_bajo: 2 },
  ofSale(3, "FAILED", 1, null),
  { movimiento_id: 7, monto: 10, referencia: "D-1" },
  { saldo_disponible: 11, alerta_saldo_bajo: 2 },
  { movimiento_id: 8, monto: -0.5, referencia: "C-1" }
]

const received = (sequence: number, changes: object = {}, path = "/first") => {
  const id = `evt_1_${sequence}`
  const type = books.events[sequence - 1]?.type
  const body = { id, type, secuencia: sequence, empresa_id: 1, data: data[sequence - 1], ...changes }
  return { path, id, body: JSON.stringify(body), isSigned: true, faults: [] }
}

const arrived = data.map((_, index) => received(index + 1))

const sound: Evidence = {
  books,
  record: { done: {}, sent: {} },
  operations: [],
  undecided: new Set(),
  given: 0,
  made: [
    { companyId: 1, reference: "D-1", centavos: 1_000 },
    { companyId: 1, reference: "C-1", centavos: -50 }
  ],
  endpoints: [
    { companyId: 1, webhookId: 1, path: "/first", isHealthy: true },
    { companyId: 1, webhookId: 2, path: "/failing", isHealthy: false }
  ],
  received: [...arrived, received(2, {}, "/failing")],
  cells: new Map(),
  cellClosings: []
}

const having = (changes: Partial<Books>): Evidence => ({ ...sound, books: { ...books, ...changes } })
const hearing = (...more: Evidence["received"]): Evidence => ({ ...sound, received: [...sound.received, ...more] })

const without = (sequence: number): Evidence => ({
  ...having({ events: books.events.filter((each) => each.sequence !== sequence) }),
  received: arrived.filter((_, index) => index + 1 !== sequence)
})

/** One more event, which the endpoint received too. */
const withEvent = (extra: EventRow, body: object): Evidence => ({
  ...having({ events: [...books.events, extra] }),
  received: [...arrived, received(extra.sequence, { type: extra.type, data: body })]
})

const each = "each transition of a company with events on has one event"
const inTurn = "a low balance and its recovery are reported in turn"
const healthy = "a healthy endpoint receives every event"
const signed = "a received event is signed, and its body never changes"
const documented = "a received event has the documented form"
const agrees = "a received event agrees with the database"

// Situation, evidence, and the invariants that the evidence violates.
const cases: ReadonlyArray<readonly [string, Evidence, ReadonlyArray<string>]> = [
  ["a company with events that all arrived", sound, []],
  ["an event that arrived twice", hearing(received(2)), []],
  ["an event that a failing endpoint did not receive", { ...sound, received: arrived }, []],
  [
    "a company with events off",
    { ...having({ events: [], balances: [{ ...balance, eventsOn: false }] }), received: [] },
    []
  ],
  ["a sale that succeeded without an event", without(2), [each]],
  ["a sale that failed without an event", without(8), [each]],
  ["a reversal without an event", without(4), [each]],
  ["a denied reversal without an event", without(3), [each]],
  ["a policy without an event", without(6), [each]],
  ["a deposit without an event", without(9), [each]],
  ["a correction without an event", without(11), [each]],
  ["a sale that ended, without an event about the time in which it was pending", without(1), []],
  [
    "a pending sale without an event",
    having({ sales: [...books.sales, { ...failedSale, id: 9, status: "PENDING" }] }),
    [each]
  ],
  [
    "a sale with two events",
    withEvent(event(12, "transaction.succeeded", { saleId: 2 }), ofSale(2, "SUCCESS", 9, "A2")),
    [each]
  ],
  [
    "an event that reports the success of a failed sale",
    withEvent(event(12, "transaction.succeeded", { saleId: 3 }), ofSale(3, "SUCCESS", 1, null)),
    [each]
  ],
  [
    "an event about a sale that does not exist",
    withEvent(event(12, "transaction.failed", { saleId: 99 }), ofSale(99, "FAILED", 1, null)),
    [each, agrees]
  ],
  ["an event of a company with events off", having({ balances: [{ ...balance, eventsOn: false }] }), [each]],
  [
    "a balance that two events in a row report as low",
    withEvent(event(12, "balance.recovered", { available: 1_100, alert: 200 }), data[9] ?? {}),
    [inTurn]
  ],
  ["a low balance whose recovery is not reported", without(10), [inTurn]],
  [
    "a report of a low balance that is not low",
    withEvent(event(12, "balance.low", { available: 300, alert: 200 }), { saldo_disponible: 3, alerta_saldo_bajo: 2 }),
    [inTurn]
  ],
  ["an event that the endpoint did not receive", { ...sound, received: arrived.slice(1) }, [healthy]],
  ["an event without a valid signature", hearing({ ...received(2), isSigned: false }), [signed]],
  ["an event with a field that no schema has", hearing({ ...received(2), faults: ["x"] }), [documented]],
  ["an event that arrived with two different bodies", hearing(received(2, { timestamp: "later" })), [signed]],
  ["an event that is not stored", hearing(received(77)), [agrees]],
  [
    "an event that arrived with another type than the stored type",
    hearing(received(2, { type: "transaction.failed" })),
    [signed, agrees]
  ],
  [
    "an event that arrived with another amount than the stored amount",
    hearing(received(2, { data: ofSale(1, "SUCCESS", 6, "A1") })),
    [signed, agrees]
  ],
  ["an event that arrived with the id of another company", hearing(received(2, { empresa_id: 2 })), [signed, agrees]]
]

describe("the invariants of events in a crash run", () => {
  it.each(cases)("report exactly the violated invariants of %s", (_, evidence, broken) => {
    const violated = Object.entries(eventInvariants).filter(([, holds]) => holds(evidence).length > 0)
    assert.deepStrictEqual(
      violated.map(([invariant]) => invariant),
      broken
    )
  })
})
