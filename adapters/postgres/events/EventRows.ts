import { DateTime, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type CompanyEvent, EventSubject, Sequence, saleAt, WebhookId } from "../../../core/domain/Event.ts"
import { CompanyId, InsuranceId, TransactionId } from "../../../core/domain/Ids.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import { EventType } from "../../../core/domain/Webhook.ts"
import type { CellSql } from "../connection/Cell.ts"
import { reversalJson, saleColumns, type TransactionRow, transactionOf } from "../ledger/TransactionRow.ts"
import { type EntryRow, entryColumns, entryOf } from "../reads/StatementPostgres.ts"

/** The columns of an event (alias `e`), as SQL. */
export const eventColumns = [
  ...["e.company_id", "e.sequence", "e.type", "e.created_at", "e.transaction_id", "e.insurance_id", "e.entry_id"],
  ...["e.webhook_id", "e.available", "e.held", "e.low_balance_alert"]
].join(", ")

export interface EventRow {
  readonly company_id: bigint
  readonly sequence: bigint
  readonly type: string
  readonly created_at: Date
  readonly transaction_id: bigint | null
  readonly insurance_id: bigint | null
  readonly entry_id: bigint | null
  readonly webhook_id: bigint | null
  readonly available: bigint | null
  readonly held: bigint | null
  readonly low_balance_alert: bigint | null
}

interface PolicyRow {
  readonly policy_number: string | null
  readonly valid_from: string | null
  readonly valid_until: string | null
}

/** Identifies the event that a row belongs to. */
interface OfEvent {
  readonly event_company: bigint
  readonly event_sequence: bigint
}

/** Runs a statement. `companyReads` limits it to one company. */
export type Query = <Row extends object>(
  strings: TemplateStringsArray,
  ...parts: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<Row>, SqlError>

/** Identifies an event in a map. */
export const keyOf = (company: bigint, sequence: bigint): string => `${company} ${sequence}`

const byEvent = <Row extends OfEvent>(rows: ReadonlyArray<Row>): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [keyOf(row.event_company, row.event_sequence), row]))

export const eventType = Schema.decodeUnknownSync(EventType)

/** The rows to which a list of events refers, by event. */
interface Subjects {
  readonly sales: ReadonlyMap<string, TransactionRow>
  readonly policies: ReadonlyMap<string, PolicyRow>
  readonly entries: ReadonlyMap<string, EntryRow>
}

const found = <A>(value: A | null | undefined): A => {
  if (value === null || value === undefined) throw new Error("an event refers to a row that does not exist")
  return value
}

const subjectOf = (row: EventRow, { entries, policies, sales }: Subjects): EventSubject => {
  const key = keyOf(row.company_id, row.sequence)
  if (row.insurance_id !== null) {
    const policy = found(policies.get(key))
    const issued = row.type === "insurance.issued"
    return EventSubject.Policy({
      insuranceId: InsuranceId.make(Number(row.insurance_id)),
      transactionId: TransactionId.make(Number(row.transaction_id)),
      policyNumber: issued ? policy.policy_number : null,
      validFrom: issued ? policy.valid_from : null,
      validUntil: issued ? policy.valid_until : null
    })
  }
  if (row.transaction_id !== null) {
    return EventSubject.Sale({ transaction: saleAt(eventType(row.type), transactionOf(found(sales.get(key)))) })
  }
  if (row.entry_id !== null) return EventSubject.Movement({ entry: entryOf(found(entries.get(key))) })
  if (row.webhook_id !== null) return EventSubject.Test({ webhookId: WebhookId.make(Number(row.webhook_id)) })
  return EventSubject.Balance({
    available: Centavos.make(Number(row.available)),
    held: Centavos.make(Number(row.held)),
    alert: Centavos.make(Number(row.low_balance_alert))
  })
}

/**
 * Makes a function that reads events from their rows, in the order of the rows. A sale is read with the reversal that
 * the event names, not with the latest one.
 */
export const eventReader = (sql: CellSql) => {
  /** SQL that selects the events `e` which these rows identify. */
  const named = (rows: ReadonlyArray<EventRow>) => sql`
    unnest(
      ${rows.map(({ company_id }) => String(company_id))}::text[],
      ${rows.map(({ sequence }) => String(sequence))}::text[]
    ) as w(company_id, sequence)
    join ${sql.cell}.event as e on e.company_id = w.company_id::bigint and e.sequence = w.sequence::bigint`

  const salesOf = (rows: ReadonlyArray<EventRow>, query: Query) => query<TransactionRow & OfEvent>`
    select
      e.company_id as event_company,
      e.sequence as event_sequence,
      ${sql.literal(saleColumns("t."))},
      (
        select ${sql.literal(reversalJson)}
        from ${sql.cell}.reversal as v
        where v.company_id = e.company_id and v.id = e.reversal_id
      ) as latest_reversal
    from ${named(rows)}
    join ${sql.cell}.transaction as t on t.company_id = e.company_id and t.id = e.transaction_id`

  const policiesOf = (rows: ReadonlyArray<EventRow>, query: Query) => query<PolicyRow & OfEvent>`
    select
      e.company_id as event_company,
      e.sequence as event_sequence,
      g.policy_number,
      g.valid_from,
      g.valid_until
    from ${named(rows)}
    join ${sql.cell}.insurance as g on g.company_id = e.company_id and g.id = e.insurance_id`

  const entriesOf = (rows: ReadonlyArray<EventRow>, query: Query) => query<EntryRow & OfEvent>`
    select
      e.company_id as event_company,
      e.sequence as event_sequence,
      ${sql.literal(entryColumns("l."))}
    from ${named(rows)}
    join ${sql.cell}.entry as l on l.company_id = e.company_id and l.id = e.entry_id`

  const read = <Row extends OfEvent>(
    rows: ReadonlyArray<EventRow>,
    of: (rows: ReadonlyArray<EventRow>) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  ) => (rows.length === 0 ? Effect.succeed(new Map<string, Row>()) : Effect.map(of(rows), byEvent))

  return Effect.fnUntraced(function* (rows: ReadonlyArray<EventRow>, query: Query) {
    const ofSales = rows.filter((row) => row.transaction_id !== null && row.insurance_id === null)
    const ofPolicies = rows.filter((row) => row.insurance_id !== null)
    const ofEntries = rows.filter((row) => row.entry_id !== null)
    const subjects: Subjects = {
      sales: yield* read(ofSales, (wanted) => salesOf(wanted, query)),
      policies: yield* read(ofPolicies, (wanted) => policiesOf(wanted, query)),
      entries: yield* read(ofEntries, (wanted) => entriesOf(wanted, query))
    }
    return rows.map(
      (row): CompanyEvent => ({
        companyId: CompanyId.make(Number(row.company_id)),
        sequence: Sequence.make(Number(row.sequence)),
        type: eventType(row.type),
        at: DateTime.fromDateUnsafe(row.created_at),
        subject: subjectOf(row, subjects)
      })
    )
  }, Effect.orDie)
}
