import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Audit } from "../../core/ports/Audit.ts"
import type { CompanyDay } from "../../core/ports/Closings.ts"
import { verifyClosings } from "../../core/workflows/CloseDays.ts"
import type { Placement } from "../support/SeveralCells.ts"
import type { ClientOperation } from "./Clients.ts"
import type { CellClosing } from "./CloseCell.ts"
import { readCells } from "./environment/CellReads.ts"
import { unclosedDays } from "./environment/RunTime.ts"
import type { CompanyEndpoint } from "./environment/Subscriptions.ts"
import type { MadeEntry } from "./OperatorWork.ts"
import type { SupplierRecord } from "./processes/SupplierCommands.ts"
import type { ReceivedEvent } from "./processes/WebhookEndpoints.ts"

/** A sale as stored in the database. */
export interface SaleRow {
  readonly companyId: number
  readonly id: number
  readonly xid: string
  readonly status: string
  readonly centavos: number
  readonly authCode: string | null
}

/** A reversal as stored in the database. */
export interface ReversalRow {
  readonly companyId: number
  readonly id: number
  readonly xid: string
  readonly saleId: number
  readonly status: string
}

/** A policy whose sale has begun, as stored in the database. */
export interface PolicyRow {
  readonly companyId: number
  readonly id: number
  readonly state: string
  readonly policyNumber: string | null
}

/** A deposit or adjustment as stored in the ledger. */
export interface EntryRow {
  readonly companyId: number
  readonly id: number
  readonly type: string
  readonly reference: string
  readonly centavos: number
}

/** A confirmed proposal, and the number of its events in the audit log. */
interface ConfirmedRow {
  readonly number: number
  readonly audited: number
}

/** A stored event. Ids that its type does not have are null. */
export interface EventRow {
  readonly companyId: number
  readonly sequence: number
  readonly type: string
  readonly saleId: number | null
  readonly reversalId: number | null
  readonly policyId: number | null
  readonly entryId: number | null
  /** Available amount and alert value in centavos, of an event about a low balance. */
  readonly available: number | null
  readonly alert: number | null
}

/** The balance of a company, and whether its events are on. Amounts are in centavos. */
export interface BalanceRow {
  readonly companyId: number
  readonly owned: number
  readonly available: number
  readonly alert: number
  readonly eventsOn: boolean
}

/** The closings of all companies. */
interface ClosingsRead {
  readonly stored: number
  /** Days that are over and have no closing, each with its company. */
  readonly unclosed: ReadonlyArray<string>
  /** Closings that do not continue their chain, each with the reason. */
  readonly broken: ReadonlyArray<string>
}

/** State of the database at the end of a round. */
export interface Books {
  readonly sales: ReadonlyArray<SaleRow>
  readonly reversals: ReadonlyArray<ReversalRow>
  readonly policies: ReadonlyArray<PolicyRow>
  readonly byHand: ReadonlyArray<EntryRow>
  readonly confirmed: ReadonlyArray<ConfirmedRow>
  readonly events: ReadonlyArray<EventRow>
  readonly balances: ReadonlyArray<BalanceRow>
  readonly closings: ClosingsRead
  readonly placements: ReadonlyArray<Placement>
  /** Audit events about a final outcome that arrived after a different one was settled. */
  readonly alerts: ReadonlyArray<string>
  /** Invariants that the audit reported as violated. */
  readonly broken: ReadonlyArray<string>
}

const describeDay = ({ companyId, day }: CompanyDay): string => `${day} of company ${companyId}`

const readClosings = Effect.gen(function* () {
  const { broken, closings } = yield* verifyClosings()
  return {
    stored: closings,
    unclosed: (yield* unclosedDays).map(describeDay),
    broken: broken.map((each) => `${describeDay(each)}: ${each.fault}`)
  } satisfies ClosingsRead
})

/** Reads which companies have rows in each table of each cell. */
const readPlacements = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const tables = yield* sql<{ name: string }>`
    select table_name as name
    from information_schema.columns
    where table_schema = 'cell' and column_name = 'company_id'`
  const parts = tables.map(
    ({ name }) =>
      `select distinct '${name}' as table, 'all_cells' as cell, company_id::float8 as "companyId" from all_cells."${name}"`
  )
  return yield* readCells<Placement>(parts.join(" union all "))
})

/** Reads the books. Uses the shared time of the run, for example to decide which days are over. */
export const readBooks = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const sales = yield* readCells<SaleRow>(`
    select company_id::float8 as "companyId", id::float8 as id, xid, status, amount::float8 as centavos,
      auth_code as "authCode"
    from all_cells.transaction
    order by id`)
  const reversals = yield* readCells<ReversalRow>(`
    select company_id::float8 as "companyId", id::float8 as id, xid, transaction_id::float8 as "saleId", status
    from all_cells.reversal
    order by id`)
  const policies = yield* readCells<PolicyRow>(`
    select company_id::float8 as "companyId", id::float8 as id, state, policy_number as "policyNumber"
    from all_cells.insurance
    where transaction_id is not null`)
  const byHand = yield* readCells<EntryRow>(`
    select company_id::float8 as "companyId", id::float8 as id, type, reference, amount::float8 as centavos
    from all_cells.entry
    where type in ('deposit', 'adjustment')`)
  const proposals = yield* readCells<{ number: number }>(
    "select number::float8 as number from all_cells.funding_proposal where state = 'confirmed'"
  )
  const audits = yield* sql<{ number: number }>`
    select (details ->> 'proposal')::float8 as number from directory.audit_event where action = 'funding_confirmed'`
  const confirmed = proposals.map(({ number }) => ({
    number,
    audited: audits.filter((audit) => audit.number === number).length
  }))
  const events = yield* readCells<EventRow>(`
    select company_id::float8 as "companyId", sequence::float8 as sequence, type, transaction_id::float8 as "saleId",
      reversal_id::float8 as "reversalId", insurance_id::float8 as "policyId", entry_id::float8 as "entryId",
      available::float8 as available, low_balance_alert::float8 as alert
    from all_cells.event
    order by company_id, sequence`)
  const balances = yield* readCells<BalanceRow>(`
    select company_id::float8 as "companyId", owned::float8 as owned, available::float8 as available,
      low_balance_alert::float8 as alert, events_on as "eventsOn"
    from all_cells.balance`)
  const alerts = yield* sql<{ alert: string }>`
    select action || ' ' || details as alert from directory.audit_event where action like 'late%'`
  const examined = yield* Audit.use(({ prove }) => prove)
  return {
    sales: sales.toSorted((one, other) => one.id - other.id),
    reversals,
    policies,
    byHand,
    confirmed,
    events,
    balances,
    closings: yield* readClosings,
    placements: yield* readPlacements,
    alerts: alerts.map(({ alert }) => alert),
    broken: examined.flatMap(({ invariant, offenders, violations }) =>
      violations === 0 ? [] : [`${invariant}: ${violations}, such as ${JSON.stringify(offenders[0])}`]
    )
  } satisfies Books
}).pipe(Effect.orDie)

/** All facts against which the invariants are checked. They are collected when no process works any more. */
export interface Evidence {
  readonly books: Books
  /** The orders that the suppliers received and delivered. */
  readonly record: SupplierRecord
  /** Operations of the clients in this round, with their responses. */
  readonly operations: ReadonlyArray<ClientOperation>
  /** Xids whose outcome the suppliers never decide. */
  readonly undecided: ReadonlySet<string>
  /** Opening deposit of each company, in centavos. It was made before events were on. */
  readonly given: number
  /** Other deposits and corrections that operators have made in this run. */
  readonly made: ReadonlyArray<MadeEntry>
  readonly endpoints: ReadonlyArray<CompanyEndpoint>
  /** Events that the endpoints received in this run. */
  readonly received: ReadonlyArray<ReceivedEvent>
  /** The cell in which each company was created, by company id. */
  readonly cells: ReadonlyMap<number, string>
  /** The periods of this run in which a cell was closed. */
  readonly cellClosings: ReadonlyArray<CellClosing>
}

export type Invariant = (evidence: Evidence) => ReadonlyArray<string>
