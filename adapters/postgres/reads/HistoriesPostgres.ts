import type { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Option } from "effect"
import { Sequence, WebhookId } from "../../../core/domain/Event.ts"
import type { History, SaleEvent } from "../../../core/domain/History.ts"
import { CompanyId, type TransactionId } from "../../../core/domain/Ids.ts"
import { UnreadableTransaction } from "../../../core/domain/OperatorErrors.ts"
import type { DeliveryState, EventType } from "../../../core/domain/Webhook.ts"
import { Histories } from "../../../core/ports/Histories.ts"
import { type CellSql, cellClient, directoryClient } from "../connection/Cell.ts"
import { inOneSnapshot, instantOrNull, int8 } from "../connection/Sql.ts"
import {
  orUnreadable,
  readOrNull,
  type TransactionRow,
  transactionColumns,
  transactionOf
} from "../ledger/TransactionRow.ts"
import { type EntryRow, entryOf } from "./StatementPostgres.ts"

interface SaleRow extends TransactionRow {
  readonly idempotency_key: string
  readonly refusal: string | null
}

interface AnswerRow {
  readonly outcome: NonNullable<History["answer"]>["outcome"]
  readonly completed_at: Date
  readonly settled_at: Date | null
}

interface ReversalRow {
  readonly xid: string
  readonly status: History["reversals"][number]["status"]
  readonly created_at: Date
  readonly processed_at: Date | null
}

interface QuestionRow extends Pick<History["questions"][number], "about" | "answer" | "times"> {
  readonly first_at: Date
  readonly last_at: Date
}

interface ReplayRow extends Pick<History["replays"][number], "about" | "times"> {
  readonly first_at: Date
  readonly last_at: Date
}

interface EventRow {
  readonly sequence: bigint
  readonly type: EventType
  readonly created_at: Date
  readonly deliveries: ReadonlyArray<{
    readonly webhook_id: number
    readonly state: DeliveryState
    readonly attempts: number
    readonly http_status: number | null
    readonly error: string | null
  }>
}

const eventOf = ({ created_at, deliveries, sequence, type }: EventRow): SaleEvent => ({
  sequence: Sequence.make(Number(sequence)),
  type,
  at: DateTime.fromDateUnsafe(created_at),
  deliveries: deliveries.map(({ http_status: httpStatus, webhook_id, ...delivery }) => ({
    webhookId: WebhookId.make(webhook_id),
    httpStatus,
    ...delivery
  }))
})

interface AuditRow extends Pick<History["audited"][number], "action" | "details"> {
  readonly at: Date
}

const answerOf = ({ completed_at, outcome, settled_at }: AnswerRow): NonNullable<History["answer"]> => ({
  outcome,
  at: DateTime.fromDateUnsafe(completed_at),
  settledAt: instantOrNull(settled_at)
})

/** One entry for repeated equal events, with the first and the last time. */
const withTimes = <Row extends { readonly first_at: Date; readonly last_at: Date }>({
  first_at,
  last_at,
  ...row
}: Row) => ({
  ...row,
  firstAt: DateTime.fromDateUnsafe(first_at),
  lastAt: DateTime.fromDateUnsafe(last_at)
})

// The primary key begins with the company, so each company of the cell is searched separately in the index.
const saleOf = (sql: CellSql, id: PgTypes.Parameter) => sql<SaleRow>`
  select t.*
  from ${sql.cell}.balance as c
  cross join lateral (
    select ${transactionColumns(sql)}, t.idempotency_key, t.refusal
    from ${sql.cell}.transaction as t
    where t.company_id = c.company_id and t.id = ${id}
  ) as t`

const partsOf = Effect.fnUntraced(function* (sql: CellSql, directory: PgClient.PgClient, sale: SaleRow) {
  const company = int8(sale.company_id)
  const id = int8(sale.id)
  const answers = yield* sql<AnswerRow>`
    select outcome ->> '_tag' as outcome, completed_at, settled_at
    from ${sql.cell}.idempotency
    where company_id = ${company}
      and key = ${sale.idempotency_key}
      and transaction_id = ${id}
      and completed_at is not null`
  const entries = yield* sql<EntryRow>`
    select id, type, amount, balance, transaction_id, reference, created_at
    from ${sql.cell}.entry
    where company_id = ${company} and transaction_id = ${id}
    order by id`
  const reversals = yield* sql<ReversalRow>`
    select xid, status, created_at, processed_at
    from ${sql.cell}.reversal
    where company_id = ${company} and transaction_id = ${id}
    order by id`
  const questions = yield* sql<QuestionRow>`
    select about, answer, times, first_at, last_at
    from ${sql.cell}.question
    where company_id = ${company} and transaction_id = ${id}
    order by n`
  const replays = yield* sql<ReplayRow>`
    select about, times, first_at, last_at
    from ${sql.cell}.replay
    where company_id = ${company} and transaction_id = ${id}
    order by about desc`
  const events = yield* sql<EventRow>`
    select e.sequence, e.type, e.created_at, d.deliveries
    from ${sql.cell}.event as e
    cross join lateral (
      select coalesce(jsonb_agg(to_jsonb(d) order by d.webhook_id), '[]') as deliveries
      from ${sql.cell}.webhook as w
      cross join lateral (
        select d.webhook_id, d.state, d.attempts, d.http_status, d.error
        from ${sql.cell}.delivery as d
        where d.company_id = e.company_id and d.webhook_id = w.id and d.sequence = e.sequence
      ) as d
      where w.company_id = e.company_id
    ) as d
    where e.company_id = ${company} and e.transaction_id = ${id}
    order by e.sequence`
  const audited = yield* directory<AuditRow>`
    select at, action, details
    from directory.audit_event
    where details ? 'transactionId' and (details ->> 'transactionId')::bigint = ${id} and company_id = ${company}
    order by id`
  return { answers, audited, entries, events, questions, replays, reversals }
})

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const directory = yield* directoryClient

  // Reads in one snapshot. Otherwise, during a concurrent settlement, the history could show the sale as held and also its
  // ledger entry.
  const find = Effect.fnUntraced(
    function* (transactionId: TransactionId) {
      const [sale] = yield* saleOf(sql, int8(transactionId))
      if (sale === undefined) return Option.none<History>()
      const transaction = readOrNull(sale, transactionOf)
      if (transaction === null) return yield* new UnreadableTransaction({ transactionId })
      const { answers, audited, entries, events, questions, replays, reversals } = yield* partsOf(sql, directory, sale)
      return Option.some<History>({
        companyId: CompanyId.make(Number(sale.company_id)),
        transaction,
        key: sale.idempotency_key,
        refusal: sale.refusal,
        answer: answers.map(answerOf)[0] ?? null,
        entries: entries.map(entryOf),
        reversals: reversals.map(({ created_at, processed_at, status, xid }) => ({
          xid,
          status,
          begunAt: DateTime.fromDateUnsafe(created_at),
          endedAt: instantOrNull(processed_at)
        })),
        questions: questions.map(withTimes),
        replays: replays.map(withTimes),
        events: events.map(eventOf),
        audited: audited.map((row) => ({ ...row, at: DateTime.fromDateUnsafe(row.at) }))
      })
    },
    (reads) => orUnreadable(inOneSnapshot(sql, reads))
  )

  return Histories.of({ find })
})

export const layer = Layer.effect(Histories, make)
