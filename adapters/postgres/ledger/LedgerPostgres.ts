import { PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { inProgress_max, retention } from "../../../core/domain/Idempotency.ts"
import { CompanyId, type IdempotencyKey } from "../../../core/domain/Ids.ts"
import { periodsAt } from "../../../core/domain/LocalTime.ts"
import { Amount, owned_max } from "../../../core/domain/Money.ts"
import { orphanedAfter } from "../../../core/domain/Recovery.ts"
import type { Intent } from "../../../core/domain/Sale.ts"
import {
  type Deposit,
  Deposited,
  Ledger,
  type Reserved,
  type ReserveError,
  type Settlement
} from "../../../core/ports/Ledger.ts"
import { cellClient } from "../connection/Cell.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { transientRetry } from "../connection/SqlFailure.ts"
import { grouped, inOrderOf } from "../grouping/Grouped.ts"
import { cellTurns, type GroupTurns } from "../grouping/GroupTurns.ts"
import { depositReferences } from "./DepositReferences.ts"
import {
  type KeyRow,
  type Member,
  type ReserveAnswer,
  recalled,
  reserved,
  reserveRow,
  type SettleAnswer,
  type SettleRow,
  settled,
  settleRow
} from "./LedgerRows.ts"
import { type WriteWatch, watchWrites } from "./WriteHealth.ts"

/** The row that the function reserve returns for request `n` of the group. */
interface ReservedRow {
  readonly n: number
  readonly answer: ReserveAnswer
}
interface SettledRow extends SettleAnswer {
  readonly n: number
}

const reserving = Effect.fnUntraced(function* (turns: GroupTurns, writes: WriteWatch) {
  const sql = yield* cellClient
  const random = yield* SecureRandom.SecureRandom

  const reserveGroup = grouped<Member, ReservedRow | undefined>(
    sql,
    "reserve",
    Effect.fnUntraced(function* (members) {
      const now = yield* DateTime.now
      const { day, month, week } = periodsAt(now)
      const rows = yield* sql<ReservedRow>`
        select n, answer
        from ${sql.cell}.reserve(
          ${PgTypes.jsonb(members.map(reserveRow))},
          ${instant(now)},
          ${day}::date,
          ${week}::date,
          ${month}::date,
          ${instant(DateTime.addDuration(now, orphanedAfter))},
          ${instant(DateTime.subtractDuration(now, retention))},
          ${instant(DateTime.subtractDuration(now, inProgress_max))}
        )`.pipe(Effect.tapError(writes.failed))
      // Only a reservation proves that the database stores writes. Refusals and replays write nothing.
      if (writes.hasFailed() && rows.some(({ answer }) => answer.tag === "Reserved")) yield* writes.stored
      return inOrderOf(members, rows)
    }),
    turns
  )

  // If the key was freed between the two reads of the statement, reserves again.
  const reserveAs = (member: Member): Effect.Effect<Reserved, ReserveError> =>
    Effect.flatMap(reserveGroup(member), (row) => {
      if (row === undefined) return Effect.die(new Error(`no answer to the reservation of ${member.intent.xid}`))
      const { answer } = row
      return answer.tag === "Vanished" ? reserveAs(member) : reserved(member.intent, answer)
    })

  return (intent: Intent) => Effect.flatMap(random.uuidV7(), (owner) => reserveAs({ intent, owner }))
})

const settling = Effect.fnUntraced(function* (turns: GroupTurns, writes: WriteWatch) {
  const sql = yield* cellClient

  const settleGroup = grouped<SettleRow, SettledRow | undefined>(
    sql,
    "settle",
    Effect.fnUntraced(function* (members) {
      const rows = yield* sql<SettledRow>`
        select n, won, kept, status, repeated, outcome
        from ${sql.cell}.settle(${PgTypes.jsonb(members.map((member, n) => ({ ...member, n })))}, tersely => true)`.pipe(
        Effect.tapError(writes.failed)
      )
      if (writes.hasFailed() && rows.some(({ won }) => won)) yield* writes.stored
      return inOrderOf(members, rows)
    }),
    turns
  )

  // Requests are encoded, and answers decoded, outside the group, so that a fault in one request does not affect the others.
  return Effect.fnUntraced(function* (settlement: Settlement) {
    const row = settleRow(settlement)
    const answer = yield* settleGroup(row)
    return answer === undefined
      ? yield* Effect.die(new Error(`transaction ${row.transaction_id} does not exist`))
      : settled(settlement, answer)
  })
})

const recalling = Effect.gen(function* () {
  const sql = yield* cellClient
  const reads = yield* companyReads

  return Effect.fnUntraced(function* (companyId: CompanyId, key: IdempotencyKey, fingerprint: string) {
    const now = yield* DateTime.now
    const [row] = yield* Effect.orDie(reads(companyId)<KeyRow>`
      select
        encode(r.fingerprint, 'hex') as fingerprint, r.transaction_id, r.claimed_at, r.completed_at, r.settled_at,
        ${sql.cell}.response_of(r.outcome, r.company_id, r.transaction_id) as outcome, t.status
      from ${sql.cell}.idempotency as r
      join ${sql.cell}.transaction as t on t.company_id = r.company_id and t.id = r.transaction_id
      where r.company_id = ${int8(companyId)} and r.key = ${key}`)
    return row === undefined ? null : yield* recalled(row, fingerprint, now)
  })
})

type DepositRow =
  | { readonly entry_id: bigint; readonly amount: bigint; readonly recorded: boolean; readonly other_company: null }
  | { readonly other_company: bigint }

const depositing = Effect.gen(function* () {
  const sql = yield* cellClient
  const { schema, unlessUsed } = yield* depositReferences

  return Effect.fnUntraced(function* ({ amount, at, companyId, isNew = false, reference }: Deposit) {
    const write = sql<DepositRow>`
      select entry_id, amount, recorded, other_company
      from ${schema}.deposit(
        ${int8(companyId)},
        ${int8(amount)},
        ${int8(owned_max)},
        ${reference},
        ${instant(at)},
        ${isNew}
      )`
    const [row] = yield* unlessUsed(
      { companyId, isNew, reference },
      write,
      (other): ReadonlyArray<DepositRow> => [{ other_company: BigInt(other) }]
    ).pipe(Effect.retry(transientRetry), Effect.orDie)
    if (row === undefined) return Deposited.BeyondRange()
    if (row.other_company !== null)
      return Deposited.UsedElsewhere({ companyId: CompanyId.make(Number(row.other_company)) })
    const entryId = Number(row.entry_id)
    return row.recorded
      ? Deposited.Recorded({ entryId })
      : Deposited.AlreadyRecorded({ entryId, amount: Amount.make(Number(row.amount)) })
  })
})

const make = Effect.gen(function* () {
  // One scheduler for both statements, because both lock the same balances. Otherwise their groups would wait for each
  // other's locks.
  const turns = yield* cellTurns
  const writes = yield* watchWrites
  return Ledger.of({
    reserve: yield* reserving(turns, writes),
    recall: yield* recalling,
    settle: yield* settling(turns, writes),
    deposit: yield* depositing
  })
})

/** `Ledger` in Postgres. Groups of calls go to set-based functions of sql/functions. */
export const layer = Layer.effect(Ledger, make)
