import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { inProgress_max, retention } from "../../core/domain/Idempotency.ts"
import type { CompanyId } from "../../core/domain/Ids.ts"
import { nextAsk, orphanedAfter } from "../../core/domain/Recovery.ts"
import { type ReversalIntent, reversalOutcomeOf } from "../../core/domain/Reversal.ts"
import { type BeginError, Begun, type ReversalSettlement, Reversals } from "../../core/ports/Reversals.ts"
import type { Claim } from "../../core/ports/Unresolved.ts"
import { type AskedRow, askedOf, claimedRows } from "./Claims.ts"
import { instant, int8 } from "./Parameters.ts"
import { claimReadable } from "./ReadableRows.ts"
import {
  type BeginAnswer,
  encodeReversalOutcome,
  type ReversalRow,
  refusal,
  replayed,
  type SettleAnswer,
  settledOf,
  underOf
} from "./ReversalRow.ts"
import { transientRetry } from "./SqlFailure.ts"
import { transactionColumns } from "./TransactionRow.ts"

// The columns of a reversal (alias v) and its sale (alias t).
const columns = `${transactionColumns("t.")}, v.id as reversal_id, v.xid as reversal_xid, v.created_at as reversal_created_at`

const beginning = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const random = yield* SecureRandom.SecureRandom

  const read = Effect.fnUntraced(function* (companyId: CompanyId, id: number) {
    const [row] = yield* sql<ReversalRow>`
      select ${sql.literal(columns)}
      from cell.reversal as v
      join cell.transaction as t on t.company_id = v.company_id and t.id = v.transaction_id
      where v.company_id = ${int8(companyId)} and v.id = ${int8(id)}`.pipe(Effect.retry(transientRetry))
    return row === undefined ? yield* Effect.die(new Error(`reversal ${id} does not exist`)) : underOf(row)
  }, Effect.orDie)

  const beginAs = Effect.fnUntraced(function* (
    intent: ReversalIntent,
    owner: string
  ): Effect.fn.Return<Begun, BeginError> {
    const now = yield* DateTime.now
    const [row] = yield* sql<{ answer: BeginAnswer }>`
      select cell.begin_reversal(
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
    // If the key was freed between the statement's two reads, tries again.
    if (answer.tag === "Vanished") return yield* beginAs(intent, owner)
    if (answer.tag === "Replay") return replayed(answer)
    if (answer.tag !== "Begun") return yield* refusal(answer)
    return Begun.Begun({ under: yield* read(intent.companyId, answer.id) })
  })

  return (intent: ReversalIntent) => Effect.flatMap(random.uuidV7(), (owner) => beginAs(intent, owner))
})

const settling = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  return Effect.fnUntraced(function* ({ at, claimedAt, notFound, toldPending, under, verdict }: ReversalSettlement) {
    const { reversal, transaction } = under
    const outcome = reversalOutcomeOf(transaction, verdict, toldPending)
    const [row] = yield* sql<{ answer: SettleAnswer }>`
      select cell.settle_reversal(
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
  const sql = yield* PgClient.PgClient

  const claimRows = (wanted: Claim) =>
    Effect.orDie(sql<ReversalRow & AskedRow>`
      with v as (${claimedRows(sql, "cell.reversal", "company_id, id, transaction_id, xid, created_at, not_found, ask_at", wanted)})
      select ${sql.literal(columns)}, v.not_found, v.ask_at
      from v
      join cell.transaction as t on t.company_id = v.company_id and t.id = v.transaction_id`)

  return (wanted: Claim) =>
    claimReadable(
      "reversal",
      (limit) => claimRows({ ...wanted, limit }),
      (row) => ({ under: underOf(row), claimedAt: wanted.now, ...askedOf(row) }),
      wanted.limit
    )
})

const make = Effect.gen(function* () {
  return Reversals.of({ begin: yield* beginning, settle: yield* settling, claim: yield* claiming })
})

/** `Reversals` in Postgres, through sql/functions/reversal.sql. */
export const layer = Layer.effect(Reversals, make)
