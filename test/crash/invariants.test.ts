import { assert, describe, it } from "@effect/vitest"
import { CellName } from "../../core/domain/Cell.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import type { ClientOperation, ClientResponse } from "./Clients.ts"
import type { Evidence } from "./Evidence.ts"
import { checkInvariants } from "./Invariants.ts"

const answered = (status: number, changes: Partial<ClientResponse> = {}): ClientResponse => ({
  status,
  code: null,
  transactionId: 1,
  authCode: null,
  retryAfter_s: null,
  ...changes
})
const sold = answered(201, { authCode: "A1" })
const refused = answered(422, { code: "TRANSACTION_REJECTED", transactionId: null })
const silent = answered(0, { transactionId: null })
const pending = answered(202, { code: "TRANSACTION_PENDING" })
const inProgress = answered(409, { code: "IDEMPOTENT_REQUEST_IN_PROGRESS" })

const operation = (...responses: ReadonlyArray<ClientResponse>): ClientOperation => ({
  customer: { companyId: CompanyId.make(1), cell: CellName.make("norte"), authorization: "Bearer a.b" },
  key: "k1",
  xid: "RD-1",
  saleId: null,
  path: "/v1/recargas",
  body: {},
  responses: [...responses]
})

const sale = { companyId: 1, id: 1, xid: "RD-1", status: "SUCCESS", centavos: 500, authCode: "A1" }
const failed = { ...sale, status: "FAILED", authCode: null }
const open = { ...sale, status: "PENDING", authCode: null }

/** The balances of a company with events off. */
const owning = (centavos: number) => [{ companyId: 1, owned: centavos, available: centavos, alert: 0, eventsOn: false }]

/** A sale of 500 centavos that is delivered and charged. Its client received the response at the second try. */
const sound: Evidence = {
  books: {
    sales: [sale],
    reversals: [],
    policies: [],
    byHand: [],
    confirmed: [],
    events: [],
    balances: owning(9_500),
    closings: { stored: 1, unclosed: [], broken: [] },
    placements: [{ table: "balance", cell: "norte", companyId: 1 }],
    alerts: [],
    broken: []
  },
  record: { done: { "RD-1": { times: 1, charged: 500 } }, sent: { "RD-1": 1 } },
  operations: [operation(silent, sold, sold)],
  undecided: new Set(),
  given: 10_000,
  made: [],
  endpoints: [],
  received: [],
  cells: new Map([[1, "norte"]]),
  cellClosings: [{ cell: "norte", before: { transaction: 1 }, after: { transaction: 1 } }]
}
const nothingDone = { done: {}, sent: { "RD-1": 1 } }

const having = ({
  books = {},
  ...changes
}: Partial<Omit<Evidence, "books">> & { books?: Partial<Evidence["books"]> }) => ({
  ...sound,
  ...changes,
  books: { ...sound.books, ...books }
})

/** A failed sale. */
const unsold = having({
  books: { sales: [failed], balances: owning(10_000) },
  record: nothingDone,
  operations: [operation(refused)]
})

/** A sale whose outcome the supplier never decides. */
const undecided = having({
  books: { sales: [open], balances: owning(10_000) },
  record: nothingDone,
  operations: [operation(pending)],
  undecided: new Set(["RD-1"])
})

/** A reversed sale. */
const reversed = having({
  books: {
    sales: [{ ...sale, status: "REVERSED" }],
    reversals: [{ companyId: 1, id: 3, xid: "RD-2", saleId: 1, status: "CONFIRMED" }],
    balances: owning(10_000)
  },
  record: { done: {}, sent: { "RD-1": 1, "RD-2": 1 } },
  operations: [operation(sold), { ...operation(answered(200)), xid: "RD-2", saleId: 1 }]
})

const charged = "each delivery is charged once, and nothing else is charged"
const audited = "each confirmed proposal has one event in the audit log"
const owned = "a company owns its deposits and corrections minus its deliveries"
const agrees = "every response agrees with the database"
const stays = "a final response never changes"
const settled = "only transactions that a supplier never decides stay open"
const hears = "every client learns the outcome"

// Situation, evidence, and the invariants that the evidence violates.
const cases: ReadonlyArray<readonly [string, Evidence, ReadonlyArray<string>]> = [
  ["a sale that was delivered and charged", sound, []],
  ["a sale that failed", unsold, []],
  ["a sale that the supplier never decides", undecided, []],
  ["a reversed sale", reversed, []],
  [
    "a delivered sale that is stored as failed",
    having({ books: { sales: [failed], balances: owning(10_000) }, operations: [operation(refused)] }),
    [charged, owned]
  ],
  ["a charged sale that was never delivered", having({ record: nothingDone }), [charged, owned]],
  [
    "a sale that is charged a wrong amount",
    having({ record: { done: { "RD-1": { times: 1, charged: 600 } }, sent: { "RD-1": 1 } } }),
    [charged, owned]
  ],
  [
    "a deposit that did not reach the balance",
    { ...sound, made: [{ companyId: 1, reference: "D-1", centavos: 700 }] },
    [owned]
  ],
  [
    "a correction that did not reach the balance",
    { ...sound, made: [{ companyId: 1, reference: "C-1", centavos: -700 }] },
    [owned]
  ],
  [
    "a confirmation without an event in the audit log",
    having({ books: { confirmed: [{ number: 1, audited: 0 }] } }),
    [audited]
  ],
  [
    "a confirmation with two events in the audit log",
    having({ books: { confirmed: [{ number: 1, audited: 2 }] } }),
    [audited]
  ],
  ["a confirmation with its audit event", having({ books: { confirmed: [{ number: 1, audited: 1 }] } }), []],
  [
    "two charged sales for one delivery",
    having({ books: { sales: [sale, { ...sale, id: 2, xid: "RD-9" }], balances: owning(9_000) } }),
    [charged, owned]
  ],
  [
    "a sale that is delivered twice",
    having({ record: { done: { "RD-1": { times: 2, charged: 500 } }, sent: { "RD-1": 1 } } }),
    ["nothing is delivered or sent twice"]
  ],
  [
    "a sale that is sent twice",
    having({ record: { ...sound.record, sent: { "RD-1": 2 } } }),
    ["nothing is delivered or sent twice"]
  ],
  ["a sale that stays open", { ...undecided, undecided: new Set<string>() }, [settled]],
  [
    "a reversal that stays open",
    having({ books: { reversals: [{ companyId: 1, id: 3, xid: "RD-2", saleId: 1, status: "PROCESSING" }] } }),
    [settled]
  ],
  [
    "a reversed sale whose reversal was denied",
    {
      ...reversed,
      books: { ...reversed.books, reversals: [{ companyId: 1, id: 3, xid: "RD-2", saleId: 1, status: "DENIED" }] }
    },
    ["a sale is reversed if and only if its reversal is confirmed"]
  ],
  ["a success response for a failed sale", { ...unsold, operations: [operation(sold)] }, [agrees]],
  [
    "a response with a wrong authorization code",
    having({ operations: [operation({ ...sold, authCode: "A2" })] }),
    [agrees]
  ],
  ["a refusal of a charged sale", having({ operations: [operation(refused)] }), [agrees]],
  [
    "a response with an unknown transaction id",
    having({ operations: [operation({ ...sold, transactionId: 7 })] }),
    [agrees]
  ],
  [
    "a response about the sale of another key",
    having({ operations: [{ ...operation(pending), xid: "RD-3" }] }),
    [agrees]
  ],
  [
    "a success response for a reversal that did not happen",
    having({ operations: [{ ...operation(answered(200)), xid: "RD-2", saleId: 1 }] }),
    [agrees]
  ],
  ["a success response followed by a pending response", having({ operations: [operation(sold, pending)] }), [stays]],
  [
    "a success response followed by an in-progress conflict",
    having({ operations: [operation(sold, inProgress, sold)] }),
    [stays]
  ],
  ["a pending response followed by a success response", having({ operations: [operation(pending, sold)] }), []],
  [
    "a client that got 404 for its own sale",
    having({ operations: [operation(sold, answered(404, { code: "NOT_FOUND" }))] }),
    [stays, "every response is allowed by the contract"]
  ],
  ["a client that never receives a response", having({ operations: [operation(silent)] }), [hears]],
  ["a key that stays in progress", having({ operations: [operation(inProgress)] }), [hears]],
  [
    "a key that ends in a conflict",
    having({ operations: [operation(answered(409, { code: "IDEMPOTENCY_CONFLICT" }))] }),
    [hears]
  ],
  [
    "a final outcome that arrived after a different one was settled",
    having({ books: { alerts: ["late_success"] } }),
    ["no final outcome arrives after a different one"]
  ],
  [
    "a day without a closing",
    having({ books: { closings: { stored: 1, unclosed: ["2026-03-03 of company 1"], broken: [] } } }),
    ["each day that is over is closed"]
  ],
  [
    "a closing with a wrong seal",
    having({ books: { closings: { stored: 1, unclosed: [], broken: ["2026-03-03 of company 1: seal"] } } }),
    ["each closing continues its chain"]
  ],
  [
    "a company with rows in another cell",
    having({ books: { placements: [{ table: "entry", cell: "sur", companyId: 1 }] } }),
    ["the rows of a company are in its cell"]
  ],
  [
    "rows of a company that does not exist",
    having({ books: { placements: [{ table: "entry", cell: "norte", companyId: 9 }] } }),
    ["the rows of a company are in its cell"]
  ],
  [
    "a sale in a closed cell",
    having({ cellClosings: [{ cell: "norte", before: { transaction: 1 }, after: { transaction: 2 } }] }),
    ["a closed cell gets no new row"]
  ],
  [
    "a response with 503 without Retry-After",
    having({ operations: [operation(answered(503, { code: "SERVICE_UNAVAILABLE", transactionId: null }), sold)] }),
    ["a response with 503 says when to retry"]
  ],
  ["a violation found by the audit", having({ books: { broken: ["held: 1"] } }), ["saldo audit finds no violation"]]
]

describe("the invariants of a crash run", () => {
  it.each(cases)("report exactly the violated invariants of %s", (_, evidence, broken) => {
    assert.deepStrictEqual([...new Set(checkInvariants(evidence).map(({ invariant }) => invariant))], broken)
  })
})
