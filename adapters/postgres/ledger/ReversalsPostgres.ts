import { PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Fragment } from "effect/sql/Statement"
import { NotFound, NotReversible, ReversalNotSupported } from "../../../core/domain/Errors.ts"
import { inProgress_max, retention } from "../../../core/domain/Idempotency.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { nextAsk, orphanedAfter } from "../../../core/domain/Recovery.ts"
import {
  type ReversalIntent,
  ReversalOutcome,
  reversalOutcomeOf,
  type UnresolvedReversal
} from "../../../core/domain/Reversal.ts"
import type { ReversalStatus } from "../../../core/domain/Status.ts"
import {
  type BeginError,
  Begun,
  type ReversalSettled,
  type ReversalSettlement,
  Reversals
} from "../../../core/ports/Reversals.ts"
import type { RecoveryClaim } from "../../../core/ports/Unresolved.ts"
import { type CellSql, cellClient } from "../connection/Cell.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { transientRetry } from "../connection/SqlFailure.ts"
import { type KeyAnswer, keyErrorIn } from "./LedgerRows.ts"
import { claimReadable, orderOf, type TransactionRow, transactionColumns, transactionOf } from "./TransactionRow.ts"
import { type AskedRow, askedOf, claimedRows } from "./UnresolvedPostgres.ts"

const ReversalOutcomeJson = Schema.toCodecJson(ReversalOutcome)
/** Encodes the stored response of a reversal. */
const encodeReversalOutcome = Schema.encodeSync(ReversalOutcomeJson)
const decodeReversalOutcome = Schema.decodeUnknownSync(ReversalOutcomeJson)

/** Answer of the function begin_reversal. */
type BeginAnswer =
  | { readonly tag: "Begun"; readonly id: number }
  | { readonly tag: "Replay"; readonly outcome: unknown }
  /** The key was freed during the call. The caller tries again. */
  | { readonly tag: "Vanished" }
  | { readonly tag: "NotFound" | "NotSupported" | "NotReversible" }
  | KeyAnswer

/** The replay of a key with a stored response. */
const replayed = ({ outcome }: { readonly outcome: unknown }) =>
  Begun.Replay({ outcome: decodeReversalOutcome(outcome) })

/** Answer of the function settle_reversal. */
interface SettleAnswer {
  readonly won: boolean
  readonly status: ReversalStatus
  readonly repeated: boolean
  readonly outcome: unknown
}

const settledOf = ({ outcome, repeated, status, won }: SettleAnswer): ReversalSettled => ({
  won,
  status,
  isRepeated: repeated,
  outcome: outcome === null ? null : decodeReversalOutcome(outcome)
})

/** The columns of a reversal and its sale. */
export interface ReversalRow extends TransactionRow {
  readonly reversal_id: bigint
  readonly reversal_xid: string
  readonly reversal_created_at: Date
}

export const unresolvedReversalOf = (row: ReversalRow): UnresolvedReversal => ({
  reversal: {
    id: Number(row.reversal_id),
    xid: row.reversal_xid,
    createdAt: DateTime.fromDateUnsafe(row.reversal_created_at),
    order: orderOf(row)
  },
  transaction: transactionOf(row)
})

/** The error for a reversal that may not begin. */
const refusal = (answer: Exclude<BeginAnswer, { tag: "Begun" | "Replay" | "Vanished" }>) => {
  switch (answer.tag) {
    case "NotFound":
      return new NotFound()
    case "NotSupported":
      return new ReversalNotSupported()
    case "NotReversible":
      return new NotReversible()
    case "KeyReused":
    case "InProgress":
    case "Conflict":
      return keyErrorIn(answer)
  }
}

/** The columns of a reversal (alias `v`) and its sale (alias `t`), as SQL. */
const columns = (sql: CellSql): Fragment =>
  sql`${transactionColumns(sql)}, v.id as reversal_id, v.xid as reversal_xid, v.created_at as reversal_created_at`

const beginning = Effect.gen(function* () {
  const sql = yield* cellClient
  const random = yield* SecureRandom.SecureRandom

  const read = Effect.fnUntraced(function* (companyId: CompanyId, id: number) {
    const [row] = yield* sql<ReversalRow>`
      select ${columns(sql)}
      from ${sql.cell}.reversal as v
      join ${sql.cell}.transaction as t on t.company_id = v.company_id and t.id = v.transaction_id
      where v.company_id = ${int8(companyId)} and v.id = ${int8(id)}`.pipe(Effect.retry(transientRetry))
    return row === undefined ? yield* Effect.die(new Error(`reversal ${id} does not exist`)) : unresolvedReversalOf(row)
  }, Effect.orDie)

  const beginAs = Effect.fnUntraced(function* (
    intent: ReversalIntent,
    owner: string
  ): Effect.fn.Return<Begun, BeginError> {
    const now = yield* DateTime.now
    const [row] = yield* sql<{ answer: BeginAnswer }>`
      select ${sql.cell}.begin_reversal(
        ${int8(intent.companyId)},
        ${int8(intent.transactionId)},
        ${intent.key},
        ${owner}::uuid,
        decode(${intent.fingerprint}, 'hex'),
        ${intent.xid},
        ${instant(now)},
        ${instant(DateTime.addDuration(now, orphanedAfter))},
        ${instant(DateTime.subtractDuration(now, retention))},
        ${instant(DateTime.subtractDuration(now, inProgress_max))}
      ) as answer`.pipe(Effect.retry(transientRetry), Effect.orDie)
    if (row === undefined) return yield* Effect.die(new Error(`no answer to the reversal ${intent.xid}`))
    const { answer } = row
    // If the key was freed between the two reads of the statement, begins again.
    if (answer.tag === "Vanished") return yield* beginAs(intent, owner)
    if (answer.tag === "Replay") return replayed(answer)
    if (answer.tag !== "Begun") return yield* refusal(answer)
    return Begun.Begun({ unresolved: yield* read(intent.companyId, answer.id) })
  })

  return (intent: ReversalIntent) => Effect.flatMap(random.uuidV7(), (owner) => beginAs(intent, owner))
})

const settling = Effect.gen(function* () {
  const sql = yield* cellClient

  return Effect.fnUntraced(function* ({
    at,
    claimedAt,
    notFound,
    toldPending,
    unresolved,
    verdict
  }: ReversalSettlement) {
    const { reversal } = unresolved
    const outcome = reversalOutcomeOf(unresolved, verdict, at, toldPending)
    const [row] = yield* sql<{ answer: SettleAnswer }>`
      select ${sql.cell}.settle_reversal(
        ${int8(reversal.order.companyId)},
        ${int8(reversal.id)},
        ${verdict._tag},
        ${outcome === null ? PgTypes.text(null) : PgTypes.jsonb(encodeReversalOutcome(outcome))}::jsonb,
        ${instant(at)},
        ${instant(nextAsk(reversal.createdAt, at))},
        ${notFound},
        ${instant(claimedAt ?? null)}
      ) as answer`.pipe(Effect.retry(transientRetry), Effect.orDie)
    return row === undefined
      ? yield* Effect.die(new Error(`no answer to the settlement of the reversal ${reversal.xid}`))
      : settledOf(row.answer)
  })
})

const claiming = Effect.gen(function* () {
  const sql = yield* cellClient

  const claimRows = (wanted: RecoveryClaim) =>
    Effect.orDie(sql<ReversalRow & AskedRow>`
      with v as (${claimedRows(sql, "reversal", "company_id, id, transaction_id, xid, created_at, not_found, ask_at", wanted)})
      select ${columns(sql)}, v.not_found, v.ask_at
      from v
      join ${sql.cell}.transaction as t on t.company_id = v.company_id and t.id = v.transaction_id`)

  return (wanted: RecoveryClaim) =>
    claimReadable(
      "reversal",
      (limit) => claimRows({ ...wanted, limit }),
      (row) => ({ unresolved: unresolvedReversalOf(row), claimedAt: wanted.now, ...askedOf(row) }),
      wanted.limit
    )
})

const make = Effect.gen(function* () {
  return Reversals.of({ begin: yield* beginning, settle: yield* settling, claim: yield* claiming })
})

/** `Reversals` in Postgres, through sql/functions/reversal.sql. */
export const layer = Layer.effect(Reversals, make)
