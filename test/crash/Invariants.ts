import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Audit } from "../../core/ports/Audit.ts"
import {
  type ClientAnswer,
  type ClientOperation,
  conflictCode,
  describeAnswer,
  hasFinalAnswer,
  isFirm,
  isPending,
  isRefused,
  isRetryable
} from "./Clients.ts"
import type { SupplierRecord } from "./processes/StdinCommands.ts"

/** A sale as the database has it. */
export interface SaleRow {
  readonly companyId: number
  readonly id: number
  readonly xid: string
  readonly status: string
  readonly centavos: number
  readonly authCode: string | null
}

/** A reversal as the database has it. */
export interface ReversalRow {
  readonly xid: string
  readonly saleId: number
  readonly status: string
}

/** What the database says when all is over. */
interface Books {
  readonly sales: ReadonlyArray<SaleRow>
  readonly reversals: ReadonlyArray<ReversalRow>
  /** What each company owns, in centavos. */
  readonly owned: ReadonlyMap<number, number>
  /** What the operator was warned of: a firm answer that came after another one. */
  readonly alerts: ReadonlyArray<string>
  /** The invariants that an audit finds broken. */
  readonly broken: ReadonlyArray<string>
}

export const readBooks = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const sales = yield* sql<SaleRow>`
    select company_id::float8 as "companyId", id::float8 as id, xid, status, amount::float8 as centavos,
      auth_code as "authCode"
    from cell.transaction
    order by id`
  const reversals = yield* sql<ReversalRow>`
    select xid, transaction_id::float8 as "saleId", status from cell.reversal order by id`
  const balances = yield* sql<{ company: number; owned: number }>`
    select company_id::float8 as company, owned::float8 as owned from cell.balance`
  const alerts = yield* sql<{ alert: string }>`
    select action || ' ' || details as alert from directory.audit_event where action like 'late%'`
  const examined = yield* Audit.use(({ prove }) => prove)
  return {
    sales,
    reversals,
    owned: new Map(balances.map(({ company, owned }) => [company, owned])),
    alerts: alerts.map(({ alert }) => alert),
    broken: examined.flatMap(({ invariant, offenders, violations }) =>
      violations === 0 ? [] : [`${invariant}: ${violations}, such as ${JSON.stringify(offenders[0])}`]
    )
  } satisfies Books
}).pipe(Effect.orDie)

/** All that is known when everything has come to rest. */
export interface Evidence {
  readonly books: Books
  /** What the suppliers really did. */
  readonly told: SupplierRecord
  /** What clients asked for in this round, and what they heard. */
  readonly errands: ReadonlyArray<ClientOperation>
  /** What the suppliers will never decide. */
  readonly undecided: ReadonlySet<string>
  /** What each company was given, in centavos. */
  readonly given: number
}

type Invariant = (evidence: Evidence) => ReadonlyArray<string>

const isUnresolved = ({ status }: { readonly status: string }): boolean =>
  status === "PROCESSING" || status === "PENDING"

const describeSale = ({ id, status, xid }: SaleRow): string => `sale ${id} (${xid}, ${status})`

const timesOf = ({ done }: SupplierRecord, xid: string): number => done[xid]?.times ?? 0

/** A reversal that was confirmed is no deed of its own: what it took back counts as never delivered. */
const deliveredIsCharged: Invariant = ({ books, told }) => {
  const charged = new Map(books.sales.filter(({ status }) => status === "SUCCESS").map((sale) => [sale.xid, sale]))
  const lost = Object.entries(told.done).flatMap(([xid, { charged: centavos }]) =>
    charged.get(xid)?.centavos === centavos ? [] : [`${xid} was delivered for ${centavos}, and is not charged so`]
  )
  const invented = [...charged.values()].flatMap((sale) =>
    timesOf(told, sale.xid) === 0 ? [`${describeSale(sale)} is charged, and was not delivered`] : []
  )
  return [...lost, ...invented]
}

const doneOnce: Invariant = ({ told }) => [
  ...Object.entries(told.done).flatMap(([xid, { times }]) => (times > 1 ? [`${xid} was done ${times} times`] : [])),
  ...Object.entries(told.sent).flatMap(([xid, times]) => (times > 1 ? [`${xid} was sent ${times} times`] : []))
]

const settled: Invariant = ({ books: { reversals, sales }, undecided }) => [
  ...sales.flatMap((sale) => (isUnresolved(sale) && !undecided.has(sale.xid) ? [describeSale(sale)] : [])),
  ...reversals.flatMap((reversal) =>
    isUnresolved(reversal) && !undecided.has(reversal.xid) ? [`reversal ${reversal.xid} is ${reversal.status}`] : []
  )
]

const owned: Invariant = ({ books, given, told }) =>
  [...books.owned].flatMap(([company, has]) => {
    // A freed key names its next sale by the same xid.
    const xids = new Set(books.sales.flatMap(({ companyId, xid }) => (companyId === company ? [xid] : [])))
    const spent = [...xids].reduce((sum, xid) => sum + (told.done[xid]?.charged ?? 0), 0)
    return has === given - spent ? [] : [`company ${company} owns ${has}, and should own ${given - spent}`]
  })

const reversalsAreTrue: Invariant = ({ books: { reversals, sales } }) => {
  const confirmed = new Set(reversals.filter(({ status }) => status === "CONFIRMED").map(({ saleId }) => saleId))
  return sales.flatMap((sale) =>
    (sale.status === "REVERSED") === confirmed.has(sale.id) ? [] : [`${describeSale(sale)} disagrees with its reversal`]
  )
}

const last = <A>(all: ReadonlyArray<A>): A | undefined => all.at(-1)

/** How a sale has to stand when its client heard this. */
const matchesAnswer = (answer: ClientAnswer, { saleId }: ClientOperation, sale: SaleRow): boolean => {
  const isReversal = saleId !== null
  // No client here asks twice to have a sale back, so one that could not be taken back stands.
  if (isRefused(answer)) return sale.status === (isReversal ? "SUCCESS" : "FAILED")
  if (isReversal) return sale.status === "REVERSED"
  return (sale.status === "SUCCESS" || sale.status === "REVERSED") && sale.authCode === answer.authCode
}

/** The sale that an answer is about: the one that it names or, by the xid, the last. */
const saleOf = (
  { transactionId }: ClientAnswer,
  { saleId, xid }: ClientOperation,
  sales: ReadonlyArray<SaleRow>
): SaleRow | undefined => {
  const id = transactionId ?? saleId
  return id === null ? last(sales.filter((sale) => sale.xid === xid)) : sales.find((sale) => sale.id === id)
}

const answersAreTrue: Invariant = ({ books: { sales }, errands }) =>
  errands.flatMap((errand) =>
    errand.answers.flatMap((answer) => {
      if (!isFirm(answer) && !isPending(answer)) return []
      const sale = saleOf(answer, errand, sales)
      const isOwn = sale !== undefined && (errand.saleId === null ? sale.xid === errand.xid : sale.id === errand.saleId)
      if (isOwn && (isPending(answer) || matchesAnswer(answer, errand, sale))) return []
      return [
        `${errand.key} heard ${describeAnswer(answer)}, and ${sale === undefined ? "there is no such sale" : describeSale(sale)}`
      ]
    })
  )

const answerIdentity = ({ authCode, code, status, transactionId }: ClientAnswer): string =>
  JSON.stringify([status, code, transactionId, authCode])

/** Once an answer is firm, no later one is other, and none says that nobody knows. */
const answersStay: Invariant = ({ errands }) =>
  errands.flatMap(({ answers, key }) => {
    const first = answers.findIndex(isFirm)
    const firm = answers[first]
    if (firm === undefined) return []
    const other = answers
      .slice(first)
      .find((answer) => !isRetryable(answer) && answerIdentity(answer) !== answerIdentity(firm))
    const unsure = answers.slice(first).find(({ status }) => status === 409)
    const wrong = other ?? unsure
    return wrong === undefined ? [] : [`${key} heard ${describeAnswer(firm)}, and later ${describeAnswer(wrong)}`]
  })

/** What clients of a right service that crashes may hear. */
const knownCodes = ["SEGURO_YA_VENDIDO", "COTIZACION_VENCIDA", conflictCode]

const isKnown = (answer: ClientAnswer): boolean =>
  isFirm(answer) || isPending(answer) || isRetryable(answer) || knownCodes.includes(answer.code ?? "")

const answersAreKnown: Invariant = ({ errands }) =>
  errands.flatMap(({ answers, key }) =>
    answers.flatMap((answer) => (isKnown(answer) ? [] : [`${key} heard ${describeAnswer(answer)}`]))
  )

/** In the end, everybody hears what became of his errand. */
const everyClientHears: Invariant = ({ errands }) =>
  errands
    .filter((errand) => !hasFinalAnswer(errand))
    .map(({ answers, key }) => {
      const final = last(answers)
      return `${key} still hears ${final === undefined ? "nothing" : describeAnswer(final)}`
    })

/** What has to hold when everything has come to rest, in words. */
const invariants: Readonly<Record<string, Invariant>> = {
  "what was delivered is charged once, and nothing else is": deliveredIsCharged,
  "nothing is done twice": doneOnce,
  "only what nobody decides stays open": settled,
  "a company owns what it was given, less what was delivered": owned,
  "a sale is reversed if its reversal was confirmed": reversalsAreTrue,
  "what clients heard is true": answersAreTrue,
  "a firm answer stays": answersStay,
  "clients hear what they may hear": answersAreKnown,
  "everybody hears what became of his errand": everyClientHears,
  "nobody has to be warned of an answer that came too late": ({ books }) => books.alerts,
  "saldo audit finds nothing": ({ books }) => books.broken
}

/** A law that does not hold, and by what it is seen. */
export interface Breach {
  readonly law: string
  readonly what: string
}

/** Every breach of every law. */
export const checkInvariants = (evidence: Evidence): ReadonlyArray<Breach> =>
  Object.entries(invariants).flatMap(([law, holds]) => holds(evidence).map((what) => ({ law, what })))
