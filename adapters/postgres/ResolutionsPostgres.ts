import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import type { TransactionId } from "../../core/domain/Ids.ts"
import { Finding, Stuck } from "../../core/domain/Resolution.ts"
import { Resolutions } from "../../core/ports/Resolutions.ts"
import { orderOf, type TransactionRow, transactionColumns } from "./TransactionRow.ts"

interface StuckRow extends TransactionRow {
  readonly verdict: "success" | "failed" | null
  readonly number: number
  readonly reason: string | null
  readonly proposed_code: string | null
  readonly proposed_token: string | null
  readonly valid_from: string | null
  readonly valid_until: string | null
  readonly proposed_by: string | null
  readonly proposed_at: Date | null
  readonly confirmed_by: string | null
}

const decode = Schema.decodeUnknownSync(Schema.toType(Stuck))

const findingOf = ({ proposed_code, proposed_token, valid_from, valid_until, verdict }: StuckRow) =>
  verdict === "failed"
    ? Finding.cases.Failed.make({})
    : Finding.cases.Success.make({
        authCode: proposed_code ?? "",
        rechargeToken: proposed_token,
        validity: valid_from === null || valid_until === null ? null : { from: valid_from, until: valid_until }
      })

const stuckOf = (row: StuckRow): Stuck =>
  decode({
    order: orderOf(row),
    status: row.status,
    proposal:
      row.verdict === null
        ? null
        : {
            number: row.number,
            finding: findingOf(row),
            reason: row.reason,
            proposedBy: row.proposed_by,
            proposedAt: row.proposed_at === null ? null : DateTime.fromDateUnsafe(row.proposed_at),
            confirmedBy: row.confirmed_by
          }
  })

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal(transactionColumns("t."))

  // The company leads the key, so each is looked into by its own step of the index.
  const find = Effect.fnUntraced(function* (id: TransactionId) {
    const [row] = yield* sql<StuckRow>`
      select t.*
      from directory.company as c
      cross join lateral (
        select ${columns}, r.number, r.verdict, r.reason, r.auth_code as proposed_code, r.recharge_token as proposed_token,
          r.valid_from, r.valid_until, r.proposed_by, r.proposed_at, r.confirmed_by
        from cell.transaction as t
        left join cell.resolution as r on r.company_id = t.company_id and r.transaction_id = t.id
        where t.company_id = c.id and t.id = ${PgTypes.int8(BigInt(id))}
      ) as t`
    return Option.map(Option.fromUndefinedOr(row), stuckOf)
  }, Effect.orDie)

  const propose: Resolutions["Service"]["propose"] = Effect.fnUntraced(function* (order, proposal) {
    const { finding, proposedAt, proposedBy, reason } = proposal
    const success = finding._tag === "Success" ? finding : null
    const [proposed] = yield* sql<{ number: number }>`
      insert into cell.resolution as r (
        company_id, transaction_id, verdict, reason, auth_code, recharge_token, valid_from, valid_until, proposed_by,
        proposed_at
      )
      values (
        ${PgTypes.int8(BigInt(order.companyId))}, ${PgTypes.int8(BigInt(order.transactionId))},
        ${success === null ? "failed" : "success"}, ${reason}, ${success?.authCode ?? null},
        ${success?.rechargeToken ?? null}, ${success?.validity?.from ?? null}::date, ${success?.validity?.until ?? null}::date, ${proposedBy},
        ${DateTime.formatIso(proposedAt)}::timestamptz
      )
      on conflict (company_id, transaction_id) do update
      set number = r.number + 1,
        verdict = excluded.verdict,
        reason = excluded.reason,
        auth_code = excluded.auth_code,
        recharge_token = excluded.recharge_token,
        valid_from = excluded.valid_from,
        valid_until = excluded.valid_until,
        proposed_by = excluded.proposed_by,
        proposed_at = excluded.proposed_at
      where r.confirmed_by is null
      returning r.number`
    return proposed?.number ?? null
  }, Effect.orDie)

  // A confirmation whose settlement was lost may be made again, by whoever comes.
  const confirm: Resolutions["Service"]["confirm"] = Effect.fnUntraced(function* (order, proposal, { at, operator }) {
    const confirmed = yield* sql`
      update cell.resolution
      set confirmed_by = ${operator}, confirmed_at = ${DateTime.formatIso(at)}::timestamptz
      where company_id = ${PgTypes.int8(BigInt(order.companyId))}
        and transaction_id = ${PgTypes.int8(BigInt(order.transactionId))}
        and number = ${proposal.number}
        and proposed_by = ${proposal.proposedBy}
        and proposed_at = ${DateTime.formatIso(proposal.proposedAt)}::timestamptz
      returning 1`
    return confirmed.length > 0
  }, Effect.orDie)

  return Resolutions.of({ find, propose, confirm })
})

/** Proposals of operators, in Postgres. */
export const layer = Layer.effect(Resolutions, make)
