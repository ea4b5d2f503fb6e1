import type { BalanceRow, Books, EventRow, Evidence, Invariant } from "./Evidence.ts"

/** A transition of a sale, reversal, policy or balance, as a text. */
const transition = (type: string, companyId: number, id: number | null): string =>
  `${type} of ${id}, company ${companyId}`

const balanceTypes = ["balance.low", "balance.recovered"]

const transitionOf = ({ companyId, entryId, policyId, reversalId, saleId, type }: EventRow): string =>
  transition(type, companyId, entryId ?? reversalId ?? policyId ?? saleId)

const endOfSale: Readonly<Record<string, string>> = {
  SUCCESS: "transaction.succeeded",
  REVERSED: "transaction.succeeded",
  FAILED: "transaction.failed",
  PENDING: "transaction.pending"
}
const endOfReversal: Readonly<Record<string, string>> = {
  CONFIRMED: "transaction.reversed",
  DENIED: "reversal.failed"
}
const endOfPolicy: Readonly<Record<string, string>> = { emitida: "insurance.issued", fallida: "insurance.failed" }

const endOfEntry: Readonly<Record<string, string>> = {
  deposit: "balance.deposited",
  adjustment: "balance.adjusted"
}

interface Row {
  readonly companyId: number
  readonly id: number
}

const endsOf = <R extends Row>(
  rows: ReadonlyArray<R>,
  types: Readonly<Record<string, string>>,
  stateOf: (row: R) => string
): ReadonlyArray<string> =>
  rows.flatMap((row) => {
    const type = types[stateOf(row)]
    return type === undefined ? [] : [transition(type, row.companyId, row.id)]
  })

/** The companies with events on. */
const subscribed = ({ balances }: Books): ReadonlySet<number> =>
  new Set(balances.filter(({ eventsOn }) => eventsOn).map(({ companyId }) => companyId))

/** The transitions that the books prove, for companies with events on. */
const provenTransitions = ({ books, made }: Evidence): ReadonlySet<string> => {
  const companies = subscribed(books)
  const ofCompanies = <R extends Row>(rows: ReadonlyArray<R>) =>
    rows.filter(({ companyId }) => companies.has(companyId))
  const references = new Set(made.map(({ reference }) => reference))
  const entries = books.byHand.filter(({ reference }) => references.has(reference))
  return new Set([
    ...endsOf(ofCompanies(books.sales), endOfSale, ({ status }) => status),
    ...endsOf(ofCompanies(books.reversals), endOfReversal, ({ status }) => status),
    ...endsOf(ofCompanies(books.policies), endOfPolicy, ({ state }) => state),
    ...endsOf(ofCompanies(entries), endOfEntry, ({ type }) => type)
  ])
}

/** Whether the event reports a pending sale. Any sale may have been pending, and the books do not show this later. */
const isPossible = ({ saleId, type }: EventRow, { sales }: Books): boolean =>
  type === "transaction.pending" && sales.some(({ id }) => id === saleId)

const oneEventEach: Invariant = (evidence) => {
  const { books } = evidence
  const companies = subscribed(books)
  const proven = provenTransitions(evidence)
  const reported = new Set<string>()
  const wrong = books.events
    .filter(({ type }) => !balanceTypes.includes(type))
    .flatMap((event) => {
      const name = transitionOf(event)
      if (reported.has(name)) return [`${name} has two events`]
      reported.add(name)
      return proven.has(name) || (companies.has(event.companyId) && isPossible(event, books))
        ? []
        : [`${name} has an event and did not happen`]
    })
  return [...wrong, ...[...proven].filter((name) => !reported.has(name)).map((name) => `${name} has no event`)]
}

/** Finds reports of a low balance or its recovery that are repeated or untrue. */
const wrongReportsOf = ({ alert, available, companyId, eventsOn }: BalanceRow, events: ReadonlyArray<EventRow>) => {
  const reports = events.filter((event) => event.companyId === companyId && balanceTypes.includes(event.type))
  const repeated = reports.filter((event, index) => event.type === (reports[index - 1]?.type ?? "balance.recovered"))
  const untrue = reports.filter(
    (event) => (event.type === "balance.low") !== Number(event.available) < Number(event.alert)
  )
  const isReportedLow = reports.at(-1)?.type === "balance.low"
  return [
    ...repeated.map(({ sequence, type }) => `${type} ${sequence} of company ${companyId} repeats the report before it`),
    ...untrue.map(({ sequence, type }) => `${type} ${sequence} of company ${companyId} contradicts its amounts`),
    ...(eventsOn && isReportedLow !== available < alert ? [`the last report of company ${companyId} is not true`] : [])
  ]
}

const lowBalancesInTurn: Invariant = ({ books: { balances, events } }) =>
  balances.flatMap((balance) => wrongReportsOf(balance, events))

const idOf = ({ companyId, sequence }: EventRow): string => `evt_${companyId}_${sequence}`

const healthyEndpointsReceive: Invariant = ({ books: { events }, endpoints, received }) => {
  const arrived = new Set(received.map(({ id, path }) => `${path} ${id}`))
  return endpoints
    .filter(({ isHealthy }) => isHealthy)
    .flatMap(({ companyId, path }) =>
      events
        .filter((event) => event.companyId === companyId && !arrived.has(`${path} ${idOf(event)}`))
        .map((event) => `${path} did not receive ${event.type} ${idOf(event)}`)
    )
}

const signedAndEqual: Invariant = ({ received }) => {
  const bodies = new Map<string, string>()
  return received.flatMap(({ body, id, isSigned, path }) => {
    const first = bodies.get(id) ?? body
    bodies.set(id, first)
    return [
      ...(isSigned ? [] : [`${path} received ${id} without a valid signature`]),
      ...(first === body ? [] : [`${path} received ${id} with another body: ${body}; before: ${first}`])
    ]
  })
}

const asDocumented: Invariant = ({ received }) =>
  received.flatMap(({ faults, id, path }) => faults.map((fault) => `${path} received ${id}: ${fault}`))

/** The parts of an event's body that the invariants compare. Amounts are in pesos. */
interface EventBody {
  readonly id: string
  readonly type: string
  readonly secuencia: number
  readonly empresa_id: number
  readonly data: {
    readonly transaction_id?: number | null
    readonly xid?: string
    readonly status?: string
    readonly amount?: number
    readonly auth_code?: string | null
    readonly seguro_id?: number
    readonly numero_poliza?: string | null
    readonly movimiento_id?: number
    readonly monto?: number
    readonly referencia?: string
    readonly saldo_disponible?: number
    readonly alerta_saldo_bajo?: number
  }
}

const pesos = (centavos: number | null | undefined): number => Number(centavos) / 100

const statusInEvent: Readonly<Record<string, string>> = {
  "transaction.pending": "PENDING",
  "transaction.succeeded": "SUCCESS",
  "transaction.failed": "FAILED",
  "transaction.reversed": "REVERSED",
  "reversal.failed": "SUCCESS"
}

/** The subjects of events, by id. */
const subjectsOf = ({ byHand, policies, sales }: Books) => {
  const byId = <R extends Row>(rows: ReadonlyArray<R>): ReadonlyMap<number | null, R> =>
    new Map(rows.map((row) => [row.id, row]))
  return { sales: byId(sales), entries: byId(byHand), policies: byId(policies) }
}
type Subjects = ReturnType<typeof subjectsOf>

/** The data that an event must have according to the books. Undefined if the books lack the subject of the event. */
const dataInBooks = (event: EventRow, { entries, policies, sales }: Subjects): EventBody["data"] | undefined => {
  if (event.alert !== null) return { saldo_disponible: pesos(event.available), alerta_saldo_bajo: pesos(event.alert) }
  if (event.entryId !== null) {
    const entry = entries.get(event.entryId)
    return entry && { movimiento_id: entry.id, monto: pesos(entry.centavos), referencia: entry.reference }
  }
  if (event.policyId !== null) {
    const policy = policies.get(event.policyId)
    return policy && { seguro_id: policy.id, transaction_id: event.saleId, numero_poliza: policy.policyNumber }
  }
  const sale = sales.get(event.saleId)
  const status = statusInEvent[event.type] ?? ""
  const auth_code = status === "PENDING" ? null : (sale?.authCode ?? null)
  return sale && { transaction_id: sale.id, xid: sale.xid, status, amount: pesos(sale.centavos), auth_code }
}

const disagreement = (body: EventBody, event: EventRow | undefined, subjects: Subjects): string | null => {
  if (event === undefined) return "the event does not exist"
  if (body.id !== idOf(event) || body.type !== event.type) return `the event is ${event.type} ${idOf(event)}`
  const data = dataInBooks(event, subjects)
  if (data === undefined) return "its subject does not exist"
  const told: Readonly<Record<string, unknown>> = { ...body.data }
  const other = Object.entries(data).find(([field, value]) => told[field] !== value)
  return other === undefined ? null : `${other[0]} is ${told[other[0]]} instead of ${other[1]}`
}

const receivedIsTrue: Invariant = ({ books, endpoints, received }) => {
  const events = new Map(books.events.map((event) => [idOf(event), event]))
  const subjects = subjectsOf(books)
  const owners = new Map(endpoints.map(({ companyId, path }) => [path, companyId]))
  return received.flatMap(({ body, id, path }) => {
    const read = JSON.parse(body) as EventBody
    const wrong =
      read.empresa_id === owners.get(path)
        ? disagreement(read, events.get(id), subjects)
        : `the endpoint belongs to company ${owners.get(path)}`
    return wrong === null ? [] : [`${path} received ${id}, but ${wrong}`]
  })
}

/** Invariants of events and webhooks, by name. */
export const eventInvariants: Readonly<Record<string, Invariant>> = {
  "each transition of a company with events on has one event": oneEventEach,
  "a low balance and its recovery are reported in turn": lowBalancesInTurn,
  "a healthy endpoint receives every event": healthyEndpointsReceive,
  "a received event is signed, and its body never changes": signedAndEqual,
  "a received event has the documented form": asDocumented,
  "a received event agrees with the database": receivedIsTrue
}
