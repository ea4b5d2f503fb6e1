import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { inProgress_max, retention } from "../../core/domain/Idempotency.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { nextAsk, orphanedAfter } from "../../core/domain/Recovery.ts"
import { type ReversalIntent, reversalOutcomeOf } from "../../core/domain/Reversal.ts"
import { Begun, type ReversalSettlement, Reversals } from "../../core/ports/Reversals.ts"
import type { Claim } from "../../core/ports/Unresolved.ts"
import { claimedRows } from "./Claims.ts"
import {
  type BeginAnswer,
  decodeReversalOutcome,
  encodeReversalOutcome,
  type ReversalRow,
  refusal,
  underOf
} from "./ReversalRow.ts"
import { briefly } from "./SqlFailure.ts"
import { transactionColumns } from "./TransactionRow.ts"

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const random = yield* SecureRandom.SecureRandom
  const int8 = (value: number) => PgTypes.int8(BigInt(value))
  const instant = (at: DateTime.Utc) => sql`${DateTime.formatIso(at)}::timestamptz`

  const read = (companyId: CompanyId, ids: ReadonlyArray<number>) =>
    sql<ReversalRow>`
      select ${sql.literal(transactionColumns("t."))}, v.id as reversal_id, v.xid as reversal_xid,
        v.created_at as reversal_created_at
      from cell.reversal as v
      join cell.transaction as t on t.company_id = v.company_id and t.id = v.transaction_id
      where v.company_id = ${int8(companyId)} and v.id = any (${PgTypes.array(ids.map(BigInt), PgTypes.OID.int8)})`

  const beginAs = (intent: ReversalIntent, owner: string): ReturnType<Reversals["Service"]["begin"]> =>
    Effect.gen(function* () {
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
        ) as answer`.pipe(Effect.retry(briefly), Effect.orDie)
      const answer = row?.answer ?? { tag: "Vanished" as const }
      // A key that was freed between two looks at it is claimed at the next try.
      if (answer.tag === "Vanished") return yield* beginAs(intent, owner)
      if (answer.tag === "Replay") return Begun.Replay({ outcome: decodeReversalOutcome(answer.outcome) })
      if (answer.tag !== "Begun") return yield* refusal(answer)
      const [begun] = yield* Effect.orDie(read(intent.companyId, [answer.id]))
      if (begun === undefined) return yield* Effect.die(new Error(`reversal ${answer.id} does not exist`))
      return Begun.Begun({ under: underOf(begun) })
    })

  const settle = Effect.fnUntraced(function* ({ at, notFound, under, verdict }: ReversalSettlement) {
    const { reversal, transaction } = under
    const outcome = reversalOutcomeOf(transaction, verdict)
    const [row] = yield* sql<{ outcome: unknown }>`
      select cell.settle_reversal(
        ${int8(reversal.order.companyId)},
        ${int8(reversal.id)},
        ${verdict._tag},
        ${outcome === null ? PgTypes.text(null) : PgTypes.jsonb(encodeReversalOutcome(outcome))}::jsonb,
        ${instant(at)},
        ${instant(nextAsk(reversal.createdAt, at))},
        ${notFound}
      ) as outcome`.pipe(Effect.retry(briefly), Effect.orDie)
    return row?.outcome == null ? null : decodeReversalOutcome(row.outcome)
  })

  const claim = Effect.fnUntraced(function* (wanted: Claim) {
    const rows = yield* Effect.orDie(
      claimedRows<{ company_id: bigint; id: bigint; not_found: number }>(
        sql,
        "cell.reversal",
        "company_id, id, not_found",
        wanted
      )
    )
    const found = yield* Effect.forEach(
      rows,
      (row) =>
        Effect.map(Effect.orDie(read(CompanyId.make(Number(row.company_id)), [Number(row.id)])), (read) =>
          read.map((each) => ({ under: underOf(each), notFound: row.not_found }))
        ),
      { concurrency: 4 }
    )
    return found.flat()
  })

  return Reversals.of({
    begin: (intent) => Effect.flatMap(random.uuidV7(), (owner) => beginAs(intent, owner)),
    settle,
    claim
  })
})

/** Reversals in Postgres, by the functions of sql/0007. */
export const layer = Layer.effect(Reversals, make)
