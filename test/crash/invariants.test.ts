import { assert, describe, it } from "@effect/vitest"
import { CompanyId } from "../../core/domain/Ids.ts"
import type { ClientAnswer, ClientOperation } from "./Clients.ts"
import { checkInvariants, type Evidence } from "./Invariants.ts"

const answered = (status: number, changes: Partial<ClientAnswer> = {}): ClientAnswer => ({
  status,
  code: null,
  transactionId: 1,
  authCode: null,
  ...changes
})
const sold = answered(201, { authCode: "A1" })
const refused = answered(422, { code: "TRANSACTION_REJECTED", transactionId: null })
const silent = answered(0, { transactionId: null })
const pending = answered(202, { code: "TRANSACTION_PENDING" })
const inProgress = answered(409, { code: "IDEMPOTENT_REQUEST_IN_PROGRESS" })

const errand = (...answers: ReadonlyArray<ClientAnswer>): ClientOperation => ({
  customer: { companyId: CompanyId.make(1), authorization: "Bearer a.b" },
  key: "k1",
  xid: "RD-1",
  saleId: null,
  path: "/v1/recargas",
  body: {},
  answers: [...answers]
})

const sale = { companyId: 1, id: 1, xid: "RD-1", status: "SUCCESS", centavos: 500, authCode: "A1" }
const failed = { ...sale, status: "FAILED", authCode: null }
const open = { ...sale, status: "PENDING", authCode: null }

/** A sale of 500 centavos that was delivered and charged, and whose client heard so at the second try. */
const sound: Evidence = {
  books: { sales: [sale], reversals: [], owned: new Map([[1, 9_500]]), alerts: [], broken: [] },
  told: { done: { "RD-1": { times: 1, charged: 500 } }, sent: { "RD-1": 1 } },
  errands: [errand(silent, sold, sold)],
  undecided: new Set(),
  given: 10_000
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

/** A sale that nothing came of. */
const unsold = having({
  books: { sales: [failed], owned: new Map([[1, 10_000]]) },
  told: nothingDone,
  errands: [errand(refused)]
})

/** A sale that nobody will ever decide. */
const undecided = having({
  books: { sales: [open], owned: new Map([[1, 10_000]]) },
  told: nothingDone,
  errands: [errand(pending)],
  undecided: new Set(["RD-1"])
})

/** A sale that was taken back. */
const reversed = having({
  books: {
    sales: [{ ...sale, status: "REVERSED" }],
    reversals: [{ xid: "RD-2", saleId: 1, status: "CONFIRMED" }],
    owned: new Map([[1, 10_000]])
  },
  told: { done: {}, sent: { "RD-1": 1, "RD-2": 1 } },
  errands: [errand(sold), { ...errand(answered(200)), xid: "RD-2", saleId: 1 }]
})

const charged = "what was delivered is charged once, and nothing else is"
const owned = "a company owns what it was given, less what was delivered"
const heard = "what clients heard is true"
const stays = "a firm answer stays"
const settled = "only what nobody decides stays open"
const hears = "everybody hears what became of his errand"

// what is the case -> the laws that it breaks
const cases: ReadonlyArray<readonly [string, Evidence, ReadonlyArray<string>]> = [
  ["a sale that was delivered and charged", sound, []],
  ["a sale that failed", unsold, []],
  ["a sale that nobody decides", undecided, []],
  ["a sale that was taken back", reversed, []],
  [
    "a sale that was delivered and has failed",
    having({ books: { sales: [failed], owned: new Map([[1, 10_000]]) }, errands: [errand(refused)] }),
    [charged, owned]
  ],
  ["a sale that was charged and never delivered", having({ told: nothingDone }), [charged, owned]],
  [
    "a sale that is charged another amount",
    having({ told: { done: { "RD-1": { times: 1, charged: 600 } }, sent: { "RD-1": 1 } } }),
    [charged, owned]
  ],
  [
    "two sales of what was delivered once",
    having({ books: { sales: [sale, { ...sale, id: 2, xid: "RD-9" }], owned: new Map([[1, 9_000]]) } }),
    [charged, owned]
  ],
  [
    "a sale that was delivered twice",
    having({ told: { done: { "RD-1": { times: 2, charged: 500 } }, sent: { "RD-1": 1 } } }),
    ["nothing is done twice"]
  ],
  ["a sale that was sent twice", having({ told: { ...sound.told, sent: { "RD-1": 2 } } }), ["nothing is done twice"]],
  ["a sale that is left open", { ...undecided, undecided: new Set<string>() }, [settled]],
  [
    "a reversal that is left open",
    having({ books: { reversals: [{ xid: "RD-2", saleId: 1, status: "PROCESSING" }] } }),
    [settled]
  ],
  [
    "a sale that is reversed, and whose reversal was denied",
    { ...reversed, books: { ...reversed.books, reversals: [{ xid: "RD-2", saleId: 1, status: "DENIED" }] } },
    ["a sale is reversed if its reversal was confirmed"]
  ],
  ["a client who heard that a failed sale is done", { ...unsold, errands: [errand(sold)] }, [heard]],
  ["a client who heard another authorization", having({ errands: [errand({ ...sold, authCode: "A2" })] }), [heard]],
  ["a client who heard that a charged sale is refused", having({ errands: [errand(refused)] }), [heard]],
  [
    "a client who heard of a sale that there is not",
    having({ errands: [errand({ ...sold, transactionId: 7 })] }),
    [heard]
  ],
  ["a client who heard of another's sale", having({ errands: [{ ...errand(pending), xid: "RD-3" }] }), [heard]],
  [
    "a client who heard that a sale is reversed, and it is not",
    having({ errands: [{ ...errand(answered(200)), xid: "RD-2", saleId: 1 }] }),
    [heard]
  ],
  ["a client who heard yes and then nothing firm", having({ errands: [errand(sold, pending)] }), [stays]],
  [
    "a client who heard yes, and then that it is under way",
    having({ errands: [errand(sold, inProgress, sold)] }),
    [stays]
  ],
  ["a client who heard nothing firm and then yes", having({ errands: [errand(pending, sold)] }), []],
  [
    "a client who is told of no such thing",
    having({ errands: [errand(sold, answered(404, { code: "NOT_FOUND" }))] }),
    [stays, "clients hear what they may hear"]
  ],
  ["a client who never hears", having({ errands: [errand(silent)] }), [hears]],
  ["a client who is put off to the end", having({ errands: [errand(inProgress)] }), [hears]],
  ["a key that is given up", having({ errands: [errand(answered(409, { code: "IDEMPOTENCY_CONFLICT" }))] }), [hears]],
  [
    "an answer that came too late",
    having({ books: { alerts: ["late_success"] } }),
    ["nobody has to be warned of an answer that came too late"]
  ],
  ["books that an audit finds wrong", having({ books: { broken: ["held: 1"] } }), ["saldo audit finds nothing"]]
]

describe("the judge of a crash", () => {
  it.each(cases)("knows %s", (_, evidence, laws) => {
    assert.deepStrictEqual([...new Set(checkInvariants(evidence).map(({ law }) => law))], laws)
  })
})
