import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Option, Stream } from "effect"
import { type Case, CaseId, type CaseKind, type CaseNote, type CaseState } from "../../../core/domain/Case.ts"
import { CompanyId, TransactionId } from "../../../core/domain/Ids.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import type { Page } from "../../../core/domain/Page.ts"
import type { ProviderName, StatementStatus } from "../../../core/domain/ProviderStatement.ts"
import { type CaseFilter, Cases } from "../../../core/ports/Cases.ts"
import { instant, instantOrNull, int8 } from "../connection/Sql.ts"

interface CaseRow {
  readonly id: bigint
  readonly provider: ProviderName
  readonly kind: CaseKind
  readonly state: CaseState
  readonly reference: string
  readonly external_id: string | null
  readonly company_id: bigint | null
  readonly transaction_id: bigint | null
  readonly our_status: StatementStatus | null
  readonly our_amount: bigint | null
  readonly our_at: Date | null
  readonly their_status: StatementStatus | null
  readonly their_amount: bigint | null
  readonly their_at: Date | null
  readonly lines: number
  readonly line: number | null
  readonly file: string
  readonly found_at: Date
  readonly seen_at: Date
  readonly gone_at: Date | null
}

interface NoteRow {
  readonly at: Date
  readonly operator: string
  readonly state: CaseNote["state"]
  readonly note: string
}

const sideOf = (status: StatementStatus | null, amount: bigint | null, at: Date | null): Case["ours"] =>
  status === null
    ? null
    : { status, amount: amount === null ? null : Centavos.make(Number(amount)), at: instantOrNull(at) }

const caseOf = (row: CaseRow): Case => ({
  id: CaseId.make(Number(row.id)),
  provider: row.provider,
  kind: row.kind,
  state: row.state,
  reference: row.reference,
  externalId: row.external_id,
  companyId: row.company_id === null ? null : CompanyId.make(Number(row.company_id)),
  transactionId: row.transaction_id === null ? null : TransactionId.make(Number(row.transaction_id)),
  ours: sideOf(row.our_status, row.our_amount, row.our_at),
  theirs: sideOf(row.their_status, row.their_amount, row.their_at),
  lines: row.lines,
  line: row.line,
  file: row.file,
  foundAt: DateTime.fromDateUnsafe(row.found_at),
  seenAt: DateTime.fromDateUnsafe(row.seen_at),
  goneAt: instantOrNull(row.gone_at)
})

/** Number of cases that are read with one query while a list is printed. */
const part = 1_000

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal(
    "id, provider, kind, state, reference, external_id, company_id, transaction_id, our_status, our_amount, our_at, their_status, their_amount, their_at, lines, line, file, found_at, seen_at, gone_at"
  )

  const matching = ({ kind, provider, seenAt, state }: CaseFilter) =>
    sql.and([
      sql`true`,
      ...(provider === undefined ? [] : [sql`provider = ${provider}`]),
      ...(kind === undefined ? [] : [sql`kind = ${kind}`]),
      ...(state === undefined ? [] : [sql`state = ${state}`]),
      ...(seenAt === undefined ? [] : [sql`seen_at = ${instant(seenAt)}`])
    ])

  const list = Effect.fnUntraced(function* (filter: CaseFilter, { page, perPage }: Page) {
    const [counted] = yield* sql<{ total: bigint }>`
      select count(*) as total from directory.statement_case where ${matching(filter)}`
    const rows = yield* sql<CaseRow>`
      select ${columns}
      from directory.statement_case
      where ${matching(filter)}
      order by id desc
      limit ${perPage} offset ${(page - 1) * perPage}`
    return { items: rows.map(caseOf), total: Number(counted?.total ?? 0) }
  }, Effect.orDie)

  const all = (filter: CaseFilter) =>
    Stream.paginate(
      0n,
      Effect.fnUntraced(function* (after: bigint) {
        const rows = yield* Effect.orDie(sql<CaseRow>`
          select ${columns}
          from directory.statement_case
          where ${matching(filter)} and id > ${int8(after)}
          order by id
          limit ${part}`)
        const last = rows.length < part ? undefined : rows.at(-1)?.id
        return [rows.map(caseOf), Option.fromUndefinedOr(last)] as const
      })
    )

  const find = Effect.fnUntraced(function* (id: CaseId) {
    const [row] = yield* sql<CaseRow>`select ${columns} from directory.statement_case where id = ${int8(id)}`
    return Option.map(Option.fromUndefinedOr(row), caseOf)
  }, Effect.orDie)

  const notes = Effect.fnUntraced(function* (id: CaseId) {
    const rows = yield* sql<NoteRow>`
      select at, operator, state, note
      from directory.statement_case_note
      where case_id = ${int8(id)}
      order by id`
    return rows.map((row) => ({ ...row, at: DateTime.fromDateUnsafe(row.at) }))
  }, Effect.orDie)

  // The update locks the row. So if two operators close a case at the same time, only the first one adds a note.
  const note = Effect.fnUntraced(function* (id: CaseId, { at, note, operator, state }: CaseNote) {
    const rows = yield* sql`
      with changed as (
        update directory.statement_case
        set state = ${state}
        where id = ${int8(id)} and state <> 'cerrado'
        returning id
      )
      insert into directory.statement_case_note (case_id, at, operator, state, note)
      select id, ${instant(at)}, ${operator}, ${state}, ${note}
      from changed
      returning id`
    return rows.length > 0
  }, Effect.orDie)

  return Cases.of({ list, all, find, notes, note })
})

export const layer = Layer.effect(Cases, make)
