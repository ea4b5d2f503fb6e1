import {
  type ClientOperation,
  type ClientResponse,
  conflictCode,
  describeResponse,
  hasFinalResponse,
  isFinal,
  isPending,
  isRefused,
  isRetryable
} from "./Clients.ts"
import { eventInvariants } from "./EventInvariants.ts"
import type { Evidence, Invariant, SaleRow } from "./Evidence.ts"
import type { SupplierRecord } from "./processes/SupplierCommands.ts"

const isUnresolved = ({ status }: { readonly status: string }): boolean =>
  status === "PROCESSING" || status === "PENDING"

const describeSale = ({ id, status, xid }: SaleRow): string => `sale ${id} (${xid}, ${status})`

const timesOf = ({ done }: SupplierRecord, xid: string): number => done[xid]?.times ?? 0

/**
 * Every delivered sale is charged, and no other sale. Confirmed reversals do not appear here, because the supplier
 * counts a reversed sale as never delivered.
 */
const deliveredIsCharged: Invariant = ({ books, record }) => {
  const charged = new Map(books.sales.filter(({ status }) => status === "SUCCESS").map((sale) => [sale.xid, sale]))
  const lost = Object.entries(record.done).flatMap(([xid, { charged: centavos }]) =>
    charged.get(xid)?.centavos === centavos
      ? []
      : [`${xid} was delivered for ${centavos} and is not charged that amount`]
  )
  const invented = [...charged.values()].flatMap((sale) =>
    timesOf(record, sale.xid) === 0 ? [`${describeSale(sale)} is charged but was not delivered`] : []
  )
  return [...lost, ...invented]
}

const doneOnce: Invariant = ({ record }) => [
  ...Object.entries(record.done).flatMap(([xid, { times }]) =>
    times > 1 ? [`${xid} was delivered ${times} times`] : []
  ),
  ...Object.entries(record.sent).flatMap(([xid, times]) => (times > 1 ? [`${xid} was sent ${times} times`] : []))
]

const settled: Invariant = ({ books: { reversals, sales }, undecided }) => [
  ...sales.flatMap((sale) => (isUnresolved(sale) && !undecided.has(sale.xid) ? [describeSale(sale)] : [])),
  ...reversals.flatMap((reversal) =>
    isUnresolved(reversal) && !undecided.has(reversal.xid) ? [`reversal ${reversal.xid} is ${reversal.status}`] : []
  )
]

const sumOf = (amounts: ReadonlyArray<number>): number => amounts.reduce((sum, amount) => sum + amount, 0)

const owned: Invariant = ({ books, given, made, record }) =>
  books.balances.flatMap(({ companyId: company, owned: has }) => {
    const isOwn = ({ companyId }: { readonly companyId: number }) => companyId === company
    // A key whose sale was not sent is free again. The next sale with the key gets the same xid.
    const xids = new Set(books.sales.filter(isOwn).map(({ xid }) => xid))
    const spent = sumOf([...xids].map((xid) => record.done[xid]?.charged ?? 0))
    const goal = given + sumOf(made.filter(isOwn).map(({ centavos }) => centavos)) - spent
    return has === goal ? [] : [`company ${company} owns ${has} instead of ${goal}`]
  })

const confirmationsAreAudited: Invariant = ({ books: { confirmed } }) =>
  confirmed.flatMap(({ audited, number }) => (audited === 1 ? [] : [`proposal ${number} has ${audited} events`]))

const reversalsAreTrue: Invariant = ({ books: { reversals, sales } }) => {
  const confirmed = new Set(reversals.filter(({ status }) => status === "CONFIRMED").map(({ saleId }) => saleId))
  return sales.flatMap((sale) =>
    (sale.status === "REVERSED") === confirmed.has(sale.id) ? [] : [`${describeSale(sale)} disagrees with its reversal`]
  )
}

const last = <A>(all: ReadonlyArray<A>): A | undefined => all.at(-1)

/** Whether the stored sale agrees with a response to its client. */
const agreesWith = (response: ClientResponse, { saleId }: ClientOperation, sale: SaleRow): boolean => {
  const isReversal = saleId !== null
  // A client asks for a reversal only once, so a sale whose reversal was refused stays successful.
  if (isRefused(response)) return sale.status === (isReversal ? "SUCCESS" : "FAILED")
  if (isReversal) return sale.status === "REVERSED"
  return (sale.status === "SUCCESS" || sale.status === "REVERSED") && sale.authCode === response.authCode
}

/** The sale that a response is about: by its transaction id or, without one, the last sale with the xid. */
const saleOf = (
  { transactionId }: ClientResponse,
  { saleId, xid }: ClientOperation,
  sales: ReadonlyArray<SaleRow>
): SaleRow | undefined => {
  const id = transactionId ?? saleId
  return id === null ? last(sales.filter((sale) => sale.xid === xid)) : sales.find((sale) => sale.id === id)
}

const responsesAreTrue: Invariant = ({ books: { sales }, operations }) =>
  operations.flatMap((operation) =>
    operation.responses.flatMap((response) => {
      if (!isFinal(response) && !isPending(response)) return []
      const sale = saleOf(response, operation, sales)
      const isOwn =
        sale !== undefined && (operation.saleId === null ? sale.xid === operation.xid : sale.id === operation.saleId)
      if (isOwn && (isPending(response) || agreesWith(response, operation, sale))) return []
      return [
        `${operation.key} got ${describeResponse(response)}, but ${sale === undefined ? "the sale does not exist" : describeSale(sale)}`
      ]
    })
  )

const responseIdentity = ({ authCode, code, status, transactionId }: ClientResponse): string =>
  JSON.stringify([status, code, transactionId, authCode])

/** After a final response, every later response is equal, and no response says that the key is still in progress. */
const finalResponsesStay: Invariant = ({ operations }) =>
  operations.flatMap(({ responses, key }) => {
    const first = responses.findIndex(isFinal)
    const final = responses[first]
    if (final === undefined) return []
    const other = responses
      .slice(first)
      .find((response) => !isRetryable(response) && responseIdentity(response) !== responseIdentity(final))
    const unsure = responses.slice(first).find(({ status }) => status === 409)
    const wrong = other ?? unsure
    return wrong === undefined ? [] : [`${key} got ${describeResponse(final)} and later ${describeResponse(wrong)}`]
  })

/** Other error codes that a correct service may return when servers crash. */
const allowedCodes = ["SEGURO_YA_VENDIDO", "COTIZACION_VENCIDA", conflictCode]

const isAllowed = (response: ClientResponse): boolean =>
  isFinal(response) || isPending(response) || isRetryable(response) || allowedCodes.includes(response.code ?? "")

const responsesAreAllowed: Invariant = ({ operations }) =>
  operations.flatMap(({ responses, key }) =>
    responses.flatMap((response) => (isAllowed(response) ? [] : [`${key} got ${describeResponse(response)}`]))
  )

/** At the end of a round every client knows the outcome of its operation. */
const everyOutcomeIsKnown: Invariant = ({ operations }) =>
  operations
    .filter((operation) => !hasFinalResponse(operation))
    .map(({ responses, key }) => {
      const final = last(responses)
      return `${key} still gets ${final === undefined ? "nothing" : describeResponse(final)}`
    })

const rowsAreInOneCell: Invariant = ({ books: { placements }, cells }) =>
  placements.flatMap(({ cell, companyId, table }) =>
    cells.get(companyId) === cell ? [] : [`company ${companyId} has rows in ${cell}.${table}`]
  )

const closedCellsStay: Invariant = ({ cellClosings }) =>
  cellClosings.flatMap(({ after, before, cell }) =>
    Object.entries(after).flatMap(([table, count]) => {
      const known = before[table] ?? 0
      return count > known ? [`${cell}.${table} got ${count - known} rows while the cell was closed`] : []
    })
  )

/** A response with 503 has Retry-After. Contract: 7. */
const unavailableNamesPause: Invariant = ({ operations }) =>
  operations.flatMap(({ key, responses }) =>
    responses
      .filter(({ retryAfter_s, status }) => status === 503 && retryAfter_s === null)
      .map(() => `${key} got 503 without Retry-After`)
  )

/** Invariants that hold when no process works any more, by name. */
const invariants: Readonly<Record<string, Invariant>> = {
  "each delivery is charged once, and nothing else is charged": deliveredIsCharged,
  "nothing is delivered or sent twice": doneOnce,
  "only transactions that a supplier never decides stay open": settled,
  "a company owns its deposits and corrections minus its deliveries": owned,
  "each confirmed proposal has one event in the audit log": confirmationsAreAudited,
  "a sale is reversed if and only if its reversal is confirmed": reversalsAreTrue,
  "every response agrees with the database": responsesAreTrue,
  "a final response never changes": finalResponsesStay,
  "every response is allowed by the contract": responsesAreAllowed,
  "every client learns the outcome": everyOutcomeIsKnown,
  "no final outcome arrives after a different one": ({ books }) => books.alerts,
  "each day that is over is closed": ({ books }) => books.closings.unclosed,
  "each closing continues its chain": ({ books }) => books.closings.broken,
  "the rows of a company are in its cell": rowsAreInOneCell,
  "a closed cell gets no new row": closedCellsStay,
  "a response with 503 says when to retry": unavailableNamesPause,
  "saldo audit finds no violation": ({ books }) => books.broken,
  ...eventInvariants
}

/** A violated invariant, with the facts that show the violation. */
export interface Breach {
  readonly invariant: string
  readonly what: string
}

/** Checks every invariant and returns all violations. */
export const checkInvariants = (evidence: Evidence): ReadonlyArray<Breach> =>
  Object.entries(invariants).flatMap(([invariant, holds]) => holds(evidence).map((what) => ({ invariant, what })))
