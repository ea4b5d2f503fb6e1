import {
  type Answer,
  conflict,
  type Errand,
  hasHeard,
  isFirm,
  isPending,
  isRefused,
  isToBeRepeated,
  wordsOf
} from "../load/Errand.ts"
import type { Told } from "../supplier/Plan.ts"
import type { Books, Sale } from "./Books.ts"

/** All that is known when everything has come to rest. */
export interface Evidence {
  readonly books: Books
  /** What the suppliers really did. */
  readonly told: Told
  /** What clients asked for in this round, and what they heard. */
  readonly errands: ReadonlyArray<Errand>
  /** What the suppliers will never decide. */
  readonly undecided: ReadonlySet<string>
  /** What each company was given, in centavos. */
  readonly given: number
}

type Law = (evidence: Evidence) => ReadonlyArray<string>

const isUnresolved = ({ status }: { readonly status: string }): boolean =>
  status === "PROCESSING" || status === "PENDING"

const named = ({ id, status, xid }: Sale): string => `sale ${id} (${xid}, ${status})`

const timesOf = ({ done }: Told, xid: string): number => done[xid]?.times ?? 0

/** A reversal that was confirmed is no deed of its own: what it took back counts as never delivered. */
const deliveredIsCharged: Law = ({ books, told }) => {
  const charged = new Map(books.sales.filter(({ status }) => status === "SUCCESS").map((sale) => [sale.xid, sale]))
  const lost = Object.entries(told.done).flatMap(([xid, { charged: centavos }]) =>
    charged.get(xid)?.centavos === centavos ? [] : [`${xid} was delivered for ${centavos}, and is not charged so`]
  )
  const invented = [...charged.values()].flatMap((sale) =>
    timesOf(told, sale.xid) === 0 ? [`${named(sale)} is charged, and was not delivered`] : []
  )
  return [...lost, ...invented]
}

const doneOnce: Law = ({ told }) => [
  ...Object.entries(told.done).flatMap(([xid, { times }]) => (times > 1 ? [`${xid} was done ${times} times`] : [])),
  ...Object.entries(told.sent).flatMap(([xid, times]) => (times > 1 ? [`${xid} was sent ${times} times`] : []))
]

const settled: Law = ({ books: { reversals, sales }, undecided }) => [
  ...sales.flatMap((sale) => (isUnresolved(sale) && !undecided.has(sale.xid) ? [named(sale)] : [])),
  ...reversals.flatMap((reversal) =>
    isUnresolved(reversal) && !undecided.has(reversal.xid) ? [`reversal ${reversal.xid} is ${reversal.status}`] : []
  )
]

const owned: Law = ({ books, given, told }) =>
  [...books.owned].flatMap(([company, has]) => {
    // A freed key names its next sale by the same xid.
    const xids = new Set(books.sales.flatMap(({ companyId, xid }) => (companyId === company ? [xid] : [])))
    const spent = [...xids].reduce((sum, xid) => sum + (told.done[xid]?.charged ?? 0), 0)
    return has === given - spent ? [] : [`company ${company} owns ${has}, and should own ${given - spent}`]
  })

const reversalsAreTrue: Law = ({ books: { reversals, sales } }) => {
  const confirmed = new Set(reversals.filter(({ status }) => status === "CONFIRMED").map(({ saleId }) => saleId))
  return sales.flatMap((sale) =>
    (sale.status === "REVERSED") === confirmed.has(sale.id) ? [] : [`${named(sale)} disagrees with its reversal`]
  )
}

const last = <A>(all: ReadonlyArray<A>): A | undefined => all.at(-1)

/** How a sale has to stand when its client heard this. */
const fits = (answer: Answer, { saleId }: Errand, sale: Sale): boolean => {
  const isReversal = saleId !== null
  // No client here asks twice to have a sale back, so one that could not be taken back stands.
  if (isRefused(answer)) return sale.status === (isReversal ? "SUCCESS" : "FAILED")
  if (isReversal) return sale.status === "REVERSED"
  return (sale.status === "SUCCESS" || sale.status === "REVERSED") && sale.authCode === answer.authCode
}

/** The sale that an answer is about: the one that it names or, by the xid, the last. */
const saleOf = ({ transactionId }: Answer, { saleId, xid }: Errand, sales: ReadonlyArray<Sale>): Sale | undefined => {
  const id = transactionId ?? saleId
  return id === null ? last(sales.filter((sale) => sale.xid === xid)) : sales.find((sale) => sale.id === id)
}

const heardIsTrue: Law = ({ books: { sales }, errands }) =>
  errands.flatMap((errand) =>
    errand.answers.flatMap((answer) => {
      if (!isFirm(answer) && !isPending(answer)) return []
      const sale = saleOf(answer, errand, sales)
      const isOwn = sale !== undefined && (errand.saleId === null ? sale.xid === errand.xid : sale.id === errand.saleId)
      if (isOwn && (isPending(answer) || fits(answer, errand, sale))) return []
      return [
        `${errand.key} heard ${wordsOf(answer)}, and ${sale === undefined ? "there is no such sale" : named(sale)}`
      ]
    })
  )

const sameness = ({ authCode, code, status, transactionId }: Answer): string =>
  JSON.stringify([status, code, transactionId, authCode])

/** Once an answer is firm, no later one is other, and none says that nobody knows. */
const answersStay: Law = ({ errands }) =>
  errands.flatMap(({ answers, key }) => {
    const first = answers.findIndex(isFirm)
    const firm = answers[first]
    if (firm === undefined) return []
    const other = answers.slice(first).find((answer) => !isToBeRepeated(answer) && sameness(answer) !== sameness(firm))
    const unsure = answers.slice(first).find(({ status }) => status === 409)
    const wrong = other ?? unsure
    return wrong === undefined ? [] : [`${key} heard ${wordsOf(firm)}, and later ${wordsOf(wrong)}`]
  })

/** What clients of a right service that crashes may hear. */
const known = ["SEGURO_YA_VENDIDO", "COTIZACION_VENCIDA", conflict]

const isKnown = (answer: Answer): boolean =>
  isFirm(answer) || isPending(answer) || isToBeRepeated(answer) || known.includes(answer.code ?? "")

const answersAreKnown: Law = ({ errands }) =>
  errands.flatMap(({ answers, key }) =>
    answers.flatMap((answer) => (isKnown(answer) ? [] : [`${key} heard ${wordsOf(answer)}`]))
  )

/** In the end, everybody hears what became of his errand. */
const everybodyHears: Law = ({ errands }) =>
  errands
    .filter((errand) => !hasHeard(errand))
    .map(({ answers, key }) => {
      const final = last(answers)
      return `${key} still hears ${final === undefined ? "nothing" : wordsOf(final)}`
    })

/** What has to hold when everything has come to rest, in words. */
const laws: Readonly<Record<string, Law>> = {
  "what was delivered is charged once, and nothing else is": deliveredIsCharged,
  "nothing is done twice": doneOnce,
  "only what nobody decides stays open": settled,
  "a company owns what it was given, less what was delivered": owned,
  "a sale is reversed if its reversal was confirmed": reversalsAreTrue,
  "what clients heard is true": heardIsTrue,
  "a firm answer stays": answersStay,
  "clients hear what they may hear": answersAreKnown,
  "everybody hears what became of his errand": everybodyHears,
  "nobody has to be warned of an answer that came too late": ({ books }) => books.alerts,
  "saldo audit finds nothing": ({ books }) => books.broken
}

/** A law that does not hold, and by what it is seen. */
export interface Breach {
  readonly law: string
  readonly what: string
}

/** Every breach of every law. */
export const judge = (evidence: Evidence): ReadonlyArray<Breach> =>
  Object.entries(laws).flatMap(([law, holds]) => holds(evidence).map((what) => ({ law, what })))
