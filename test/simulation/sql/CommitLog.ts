import { PgClient } from "@effect/sql-pg"
import { Effect, Struct } from "effect"
import { eventType } from "../../../adapters/postgres/events/EventRows.ts"
import { type SaleRow, saleColumns, transactionOf } from "../../../adapters/postgres/ledger/TransactionRow.ts"
import { type EntryRow, entryColumns, entryOf } from "../../../adapters/postgres/reads/StatementPostgres.ts"
import { EventSubject, Sequence } from "../../../core/domain/Event.ts"
import { InsuranceId, TransactionId } from "../../../core/domain/Ids.ts"
import { Centavos, zero } from "../../../core/domain/Money.ts"
import type { ReversalStatus, Status } from "../../../core/domain/Status.ts"
import type { EventType } from "../../../core/domain/Webhook.ts"
import type { ObservedCommit, ReportableChange, WrittenEvent } from "../engine/Simulation.ts"
import { simulatedCells } from "../process/CompaniesAndCatalogue.ts"
import { entryChange, policyEventTypes, reversalEventTypes, saleEventTypes } from "../store/CommitsMemory.ts"

/** The logged tables, each with the writes after which a row is logged. */
const logged = {
  transaction: { writes: "update", when: "old.status <> new.status" },
  reversal: { writes: "update", when: "old.status <> new.status" },
  insurance: { writes: "update", when: "old.state <> new.state" },
  entry: { writes: "insert", when: "true" },
  balance: { writes: "insert or update", when: "true" },
  event: { writes: "insert", when: "true" }
} as const

/**
 * SQL that logs the changes of a cell's table. All cells have the same tables, so each row is logged with the first cell's
 * type.
 */
const tableLogSql = (cell: string, table: keyof typeof logged): string => {
  const { when, writes } = logged[table]
  return `
    create function simulation.log_${cell}_${table}() returns trigger language plpgsql as $$
    begin
      insert into simulation.change (company_id, table_name, "${table}")
      values (new.company_id, '${table}', new::text::cell.${table});
      return null;
    end;
    $$;
    create trigger simulation_log after ${writes} on ${cell}.${table}
    for each row when (${when}) execute function simulation.log_${cell}_${table}();`
}

/**
 * SQL that creates a log of all changes that need an event, and of all events. Triggers write the log, so it does not
 * depend on the functions that write the events.
 */
export const commitLogSql = [
  `create schema simulation;
   create table simulation.change (
     n bigint generated always as identity primary key,
     tx bigint not null default pg_current_xact_id()::text::bigint,
     company_id bigint not null,
     table_name text not null,
     ${Object.keys(logged)
       .map((table) => `"${table}" cell.${table}`)
       .join(", ")}
   );`,
  ...simulatedCells.flatMap((cell) => Struct.keys(logged).map((table) => tableLogSql(cell, table)))
].join("\n")

interface ChangeRow {
  readonly n: bigint
  readonly tx: bigint
  readonly company_id: bigint
}

interface ReversalRow extends ChangeRow {
  readonly transaction_id: bigint
  readonly status: ReversalStatus
  readonly requested_at: string
  readonly resolved_at: string | null
}

interface InsuranceRow extends ChangeRow {
  readonly id: bigint
  readonly state: string
  readonly transaction_id: bigint | null
  readonly policy_number: string | null
  readonly valid_from: string | null
  readonly valid_until: string | null
}

interface BalanceRow extends ChangeRow {
  readonly available: bigint
  readonly held: bigint
  readonly low_balance_alert: bigint
  readonly events_on: boolean
}

interface EventRow extends ChangeRow {
  readonly sequence: bigint
  readonly type: string
  readonly about: string
}

/** The rows of the log after a position. */
const readLog = Effect.fnUntraced(function* (after: bigint) {
  const sql = yield* PgClient.PgClient
  const rows = <Row extends ChangeRow>(table: keyof typeof logged, columns: string) => sql<Row>`
    select c.n, c.tx, c.company_id, ${sql.literal(columns)}
    from simulation.change as c
    where c.n > ${after} and c.table_name = ${table}
    order by c.n`
  const of = (table: keyof typeof logged, columns: ReadonlyArray<string>) =>
    columns.map((column) => `(c."${table}").${column}`).join(", ")
  return {
    sales: yield* rows<SaleRow & ChangeRow>("transaction", saleColumns('(c."transaction").')),
    reversals: yield* rows<ReversalRow>(
      "reversal",
      `${of("reversal", ["transaction_id", "status"])}, to_jsonb((c.reversal).created_at) as requested_at,
       to_jsonb((c.reversal).processed_at) as resolved_at`
    ),
    insurances: yield* rows<InsuranceRow>(
      "insurance",
      of("insurance", ["id", "state", "transaction_id", "policy_number", "valid_from", "valid_until"])
    ),
    entries: yield* rows<EntryRow & ChangeRow>("entry", entryColumns("(c.entry).")),
    balances: yield* rows<BalanceRow>(
      "balance",
      of("balance", ["available", "held", "low_balance_alert", "events_on"])
    ),
    events: yield* rows<EventRow>(
      "event",
      `${of("event", ["sequence", "type"])},
       case
         when (c.event).insurance_id is not null then 'insurance ' || (c.event).insurance_id
         when (c.event).transaction_id is not null then 'sale ' || (c.event).transaction_id
         when (c.event).entry_id is not null then 'entry ' || (c.event).entry_id
         else 'balance'
       end as about`
    )
  }
})

/** A row of the log, and what it adds to the commit of its transaction. */
interface LoggedRow {
  readonly row: ChangeRow
  /**
   * Call it in the order of the log, because the logged change of a reversal contains the sale of the latest earlier
   * change.
   */
  readonly changes?: () => ReadonlyArray<ReportableChange>
  readonly event?: WrittenEvent
  readonly account?: ObservedCommit["account"]
}

const policyChange = (row: InsuranceRow): ReadonlyArray<ReportableChange> => {
  const type = policyEventTypes[row.state]
  if (type === undefined || row.transaction_id === null) return []
  const subject = EventSubject.Policy({
    insuranceId: InsuranceId.make(Number(row.id)),
    transactionId: TransactionId.make(Number(row.transaction_id)),
    policyNumber: row.policy_number,
    validFrom: row.valid_from,
    validUntil: row.valid_until
  })
  return [{ type, subject }]
}

const accountOf = (row: BalanceRow): ObservedCommit["account"] => ({
  available: Centavos.make(Number(row.available)),
  held: Centavos.make(Number(row.held)),
  alert: Number(row.low_balance_alert),
  areEventsOn: row.events_on
})

const noAccount = { available: zero, held: zero, alert: 0, areEventsOn: false }

/** Reads the commits of a run from the log. `next` returns the commits since its previous call. */
export const commitReader = () => {
  let position = 0n
  const sales = new Map<string, SaleRow>()
  const accounts = new Map<bigint, ObservedCommit["account"]>()

  const nameOf = (companyId: bigint, transactionId: bigint): string => `${companyId} ${transactionId}`

  const saleChange = (
    type: EventType | null,
    row: SaleRow | undefined,
    reversal: ReversalRow | null
  ): ReadonlyArray<ReportableChange> => {
    if (type === null || row === undefined) return []
    const transaction = transactionOf({ ...row, latest_reversal: reversal })
    return [{ type, subject: EventSubject.Sale({ transaction: { ...transaction, rechargeToken: null } }) }]
  }

  const logOf = (log: Effect.Success<ReturnType<typeof readLog>>): ReadonlyArray<LoggedRow> =>
    [
      ...log.sales.map((row) => ({
        row,
        changes: () => {
          sales.set(nameOf(row.company_id, row.id), row)
          return saleChange(saleEventTypes[row.status as Status], row, null)
        }
      })),
      ...log.reversals.map((row) => ({
        row,
        changes: () =>
          saleChange(reversalEventTypes[row.status], sales.get(nameOf(row.company_id, row.transaction_id)), row)
      })),
      ...log.insurances.map((row) => ({ row, changes: () => policyChange(row) })),
      ...log.entries.map((row) => ({ row, changes: () => entryChange(entryOf(row)) })),
      ...log.balances.map((row) => ({ row, account: accountOf(row) })),
      ...log.events.map((row) => ({
        row,
        event: { sequence: Sequence.make(Number(row.sequence)), type: eventType(row.type), about: row.about }
      }))
    ].toSorted((left, right) => Number(left.row.n - right.row.n))

  const next = Effect.gen(function* () {
    const rows = logOf(yield* readLog(position))
    position = rows.at(-1)?.row.n ?? position
    const commits = new Map<string, ObservedCommit>()
    for (const { account, changes, event, row } of rows) {
      const { company_id, tx } = row
      const known = account ?? accounts.get(company_id) ?? noAccount
      accounts.set(company_id, known)
      const name = `${tx} ${company_id}`
      const before = commits.get(name) ?? { companyId: Number(company_id), changes: [], events: [], account: known }
      commits.set(name, {
        ...before,
        changes: [...before.changes, ...(changes?.() ?? [])],
        events: event === undefined ? before.events : [...before.events, event],
        account: known
      })
    }
    return [...commits.values()]
  })
  return { next }
}
