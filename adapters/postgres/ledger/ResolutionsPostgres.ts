import { DateTime, Effect, Layer, Option, Schema } from "effect"
import type { TransactionId } from "../../../core/domain/Ids.ts"
import { type Confirmation, UnreadableTransaction } from "../../../core/domain/OperatorErrors.ts"
import { Finding, Proposal, type SaleToResolve } from "../../../core/domain/Resolution.ts"
import { Confirmed, Resolutions } from "../../../core/ports/Resolutions.ts"
import { cellClient } from "../connection/Cell.ts"
import { instant, int8, numberOrNull } from "../connection/Sql.ts"
import { type ReversalRow, unresolvedReversalOf } from "./ReversalsPostgres.ts"
import {
  orderOf,
  orUnreadable,
  readOrNull,
  type TransactionRow,
  transactionColumns,
  transactionOf
} from "./TransactionRow.ts"

/** The operator's verdicts as stored in the table. */
const verdicts = { Success: "success", Failed: "failed", Reversed: "reversed", Stands: "stands" } as const

export interface ProposalRow {
  readonly verdict: (typeof verdicts)[Finding["_tag"]]
  readonly number: number
  readonly about_reversal: bigint | null
  readonly reason: string
  readonly proposed_code: string | null
  readonly proposed_token: string | null
  readonly valid_from: string | null
  readonly valid_until: string | null
  readonly proposed_by: string
  readonly proposed_at: Date
  readonly confirmed_by: string | null
  readonly confirmed_at: Date | null
}

/** A sale with its proposal and its unresolved reversal, if they exist. */
type SaleToResolveRow = TransactionRow &
  (ProposalRow | { readonly verdict: null }) &
  (ReversalRow | { readonly reversal_id: null })

const decode = Schema.decodeUnknownSync(Schema.toType(Proposal))

const findingOf = ({ proposed_code, proposed_token, valid_from, valid_until, verdict }: ProposalRow): Finding => {
  if (verdict === "failed") return Finding.cases.Failed.make({})
  if (verdict === "reversed") return Finding.cases.Reversed.make({})
  if (verdict === "stands") return Finding.cases.Stands.make({})
  return Finding.cases.Success.make({
    authCode: proposed_code ?? "",
    rechargeToken: proposed_token,
    validity: valid_from === null || valid_until === null ? null : { from: valid_from, until: valid_until }
  })
}

const confirmationOf = ({
  confirmed_at,
  confirmed_by
}: Pick<ProposalRow, "confirmed_at" | "confirmed_by">): Confirmation | null =>
  confirmed_by === null || confirmed_at === null
    ? null
    : { by: confirmed_by, at: DateTime.fromDateUnsafe(confirmed_at) }

/** The columns of a proposal (alias `r`), as SQL. */
export const proposalColumns = `r.number, r.verdict, r.reason, r.auth_code as proposed_code,
  r.recharge_token as proposed_token, r.valid_from, r.valid_until, r.proposed_by, r.proposed_at, r.confirmed_by,
  r.confirmed_at, r.reversal_id as about_reversal`

export const proposalOf = (row: ProposalRow): Proposal =>
  decode({
    number: row.number,
    finding: findingOf(row),
    reversalId: numberOrNull(row.about_reversal),
    reason: row.reason,
    proposedBy: row.proposed_by,
    proposedAt: DateTime.fromDateUnsafe(row.proposed_at),
    confirmation: confirmationOf(row)
  })

const saleToResolveOf = (row: SaleToResolveRow): SaleToResolve => ({
  order: orderOf(row),
  status: transactionOf(row).status,
  unresolved: row.reversal_id === null ? null : unresolvedReversalOf(row),
  proposal: row.verdict === null ? null : proposalOf(row)
})

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const columns = transactionColumns(sql)

  // The primary key begins with the company, so each company of the cell is searched separately in the index.
  const find = Effect.fnUntraced(function* (id: TransactionId) {
    const [row] = yield* sql<SaleToResolveRow>`
      select t.*
      from ${sql.cell}.balance as c
      cross join lateral (
        select ${columns}, ${sql.literal(proposalColumns)},
          v.id as reversal_id, v.xid as reversal_xid, v.created_at as reversal_created_at
        from ${sql.cell}.transaction as t
        left join ${sql.cell}.resolution as r on r.company_id = t.company_id and r.transaction_id = t.id
        left join ${sql.cell}.reversal as v
          on v.company_id = t.company_id and v.transaction_id = t.id and v.status in ('PROCESSING', 'PENDING')
        where t.company_id = c.company_id and t.id = ${int8(id)}
      ) as t`
    if (row === undefined) return Option.none<SaleToResolve>()
    const toResolve = readOrNull(row, saleToResolveOf)
    return toResolve === null ? yield* new UnreadableTransaction({ transactionId: id }) : Option.some(toResolve)
  }, orUnreadable)

  const propose: Resolutions["Service"]["propose"] = Effect.fnUntraced(function* (order, proposal) {
    const { finding, proposedAt, proposedBy, reason, reversalId } = proposal
    const success = finding._tag === "Success" ? finding : null
    const [proposed] = yield* sql<{ number: number }>`
      insert into ${sql.cell}.resolution as r (
        company_id, transaction_id, reversal_id, verdict, reason, auth_code, recharge_token, valid_from, valid_until,
        proposed_by, proposed_at
      )
      values (
        ${int8(order.companyId)}, ${int8(order.transactionId)},
        ${int8(reversalId)}, ${verdicts[finding._tag]}, ${reason},
        ${success?.authCode ?? null}, ${success?.rechargeToken ?? null}, ${success?.validity?.from ?? null}::date,
        ${success?.validity?.until ?? null}::date, ${proposedBy}, ${instant(proposedAt)}
      )
      on conflict (company_id, transaction_id) do update
      set number = r.number + 1,
        reversal_id = excluded.reversal_id,
        verdict = excluded.verdict,
        reason = excluded.reason,
        auth_code = excluded.auth_code,
        recharge_token = excluded.recharge_token,
        valid_from = excluded.valid_from,
        valid_until = excluded.valid_until,
        proposed_by = excluded.proposed_by,
        proposed_at = excluded.proposed_at,
        confirmed_by = null,
        confirmed_at = null
      where r.confirmed_by is null or r.reversal_id is distinct from excluded.reversal_id
      returning r.number`
    return proposed?.number ?? null
  }, Effect.orDie)

  // The update waits for a concurrent confirmation of the same proposal, and then finds the proposal confirmed.
  const confirm: Resolutions["Service"]["confirm"] = Effect.fnUntraced(function* (order, proposal, { at, by }) {
    const isProposal = sql`
      company_id = ${int8(order.companyId)}
      and transaction_id = ${int8(order.transactionId)}
      and number = ${proposal.number}
      and proposed_by = ${proposal.proposedBy}
      and proposed_at = ${instant(proposal.proposedAt)}`
    const before = proposal.confirmation
    const recorded = yield* sql`
      update ${sql.cell}.resolution
      set confirmed_by = ${by}, confirmed_at = ${instant(at)}
      where ${isProposal}
        and confirmed_by is not distinct from ${before?.by ?? null}
        and confirmed_at is not distinct from ${before === null ? null : instant(before.at)}
      returning 1`
    if (recorded.length > 0) return Confirmed.Recorded()
    const [row] = yield* sql<Pick<ProposalRow, "confirmed_at" | "confirmed_by">>`
      select confirmed_by, confirmed_at from ${sql.cell}.resolution where ${isProposal}`
    const confirmation = row === undefined ? null : confirmationOf(row)
    return confirmation === null ? Confirmed.Replaced() : Confirmed.AlreadyConfirmed({ confirmation })
  }, Effect.orDie)

  return Resolutions.of({ find, propose, confirm })
})

/** `Resolutions` in Postgres: proposals of operators and their confirmations. */
export const layer = Layer.effect(Resolutions, make)
