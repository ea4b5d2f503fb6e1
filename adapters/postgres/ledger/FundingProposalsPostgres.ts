import { DateTime, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { FundingProposal } from "../../../core/domain/FundingProposal.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Centavos, owned_max } from "../../../core/domain/Money.ts"
import { FundingConfirmed, FundingProposals, FundingProposed } from "../../../core/ports/FundingProposals.ts"
import { cellClient } from "../connection/Cell.ts"
import { instant, int8, numberOrNull } from "../connection/Sql.ts"
import { depositReferences } from "./DepositReferences.ts"

interface ProposalRow {
  readonly company_id: bigint
  readonly number: bigint
  readonly kind: string
  readonly amount: bigint
  readonly reference: string
  readonly is_repeated: boolean
  readonly reason: string | null
  readonly proposed_by: string
  readonly proposed_at: Date
  readonly expires_at: Date
  readonly state: string
  readonly decided_by: string | null
  readonly decided_at: Date | null
  readonly decision_reason: string | null
  readonly entry_id: bigint | null
}

const decode = Schema.decodeUnknownSync(Schema.toType(FundingProposal))

const proposalOf = (row: ProposalRow): FundingProposal =>
  decode({
    number: Number(row.number),
    companyId: Number(row.company_id),
    kind: row.kind,
    amount: Number(row.amount),
    reference: row.reference,
    isRepeated: row.is_repeated,
    reason: row.reason,
    proposedBy: row.proposed_by,
    proposedAt: DateTime.fromDateUnsafe(row.proposed_at),
    expiresAt: DateTime.fromDateUnsafe(row.expires_at),
    state: row.state,
    decision:
      row.decided_by === null || row.decided_at === null
        ? null
        : { by: row.decided_by, at: DateTime.fromDateUnsafe(row.decided_at), reason: row.decision_reason },
    entryId: numberOrNull(row.entry_id)
  })

const columns = `company_id, number, kind, amount, reference, is_repeated, reason, proposed_by, proposed_at, expires_at,
  state, decided_by, decided_at, decision_reason, entry_id`

/** Answers that can follow both a proposal and a confirmation. */
type RefusedAnswer =
  | { readonly tag: "AlreadyRecorded"; readonly entry_id: number; readonly amount: number }
  | { readonly tag: "UsedElsewhere"; readonly company_id: number }
  | { readonly tag: "Insufficient"; readonly available: number }

type ProposedAnswer = RefusedAnswer | { readonly tag: "Proposed" | "AlreadyProposed"; readonly number: number }

type ConfirmedAnswer =
  | RefusedAnswer
  | { readonly tag: "Recorded"; readonly entry_id: number; readonly balance: number }
  | { readonly tag: "NotPending" | "BeyondRange" }

const refusedOf = (answer: RefusedAnswer) => {
  switch (answer.tag) {
    case "AlreadyRecorded":
      return FundingProposed.AlreadyRecorded({ entryId: answer.entry_id, amount: answer.amount })
    case "UsedElsewhere":
      return FundingProposed.UsedElsewhere({ companyId: CompanyId.make(answer.company_id) })
    case "Insufficient":
      return FundingProposed.Insufficient({ available: Centavos.make(answer.available) })
  }
}

const proposedOf = (answer: ProposedAnswer): FundingProposed =>
  "number" in answer ? FundingProposed[answer.tag]({ number: answer.number }) : refusedOf(answer)

const confirmedOf = (answer: ConfirmedAnswer): FundingConfirmed => {
  switch (answer.tag) {
    case "Recorded":
      return FundingConfirmed.Recorded({ entryId: answer.entry_id, balance: Centavos.make(answer.balance) })
    case "NotPending":
      return FundingConfirmed.NotPending()
    case "BeyondRange":
      return FundingConfirmed.BeyondRange()
    default:
      return refusedOf(answer)
  }
}

const usedElsewhere = (other: CompanyId) => ({ tag: "UsedElsewhere" as const, company_id: other })

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const { schema, unlessUsed } = yield* depositReferences
  const selected = sql.literal(columns)
  return FundingProposals.of({
    find: (number) =>
      sql<ProposalRow>`select ${selected} from ${sql.cell}.funding_proposal where number = ${int8(number)}`.pipe(
        Effect.map(([row]) => (row === undefined ? Option.none() : Option.some(proposalOf(row)))),
        Effect.orDie
      ),

    list: (companyId, limit) =>
      sql<ProposalRow>`
        select ${selected}
        from ${sql.cell}.funding_proposal
        ${companyId === null ? sql`` : sql`where company_id = ${int8(companyId)}`}
        order by number desc
        limit ${limit}`.pipe(
        Effect.map((rows) => rows.map(proposalOf)),
        Effect.orDie
      ),

    propose: (request) =>
      unlessUsed<ReadonlyArray<{ readonly answer: ProposedAnswer }>, SqlError, never>(
        { ...request, isNew: request.kind === "deposit" && !request.isRepeated },
        sql`
        select ${schema}.propose_funding(
          ${int8(request.companyId)}, ${request.kind}, ${int8(request.amount)}, ${request.reference},
          ${request.isRepeated}, ${request.reason}, ${request.proposedBy}, ${instant(request.proposedAt)},
          ${instant(request.expiresAt)}
        ) as answer`,
        (other) => [{ answer: usedElsewhere(other) }]
      ).pipe(Effect.map(answerOf(proposedOf)), Effect.orDie),

    confirm: ({ companyId, isRepeated, kind, number, reference }, { at, by }) =>
      unlessUsed<ReadonlyArray<{ readonly answer: ConfirmedAnswer }>, SqlError, never>(
        { companyId, reference, isNew: kind === "deposit" && !isRepeated },
        sql`
          select ${schema}.confirm_funding(
            ${int8(companyId)}, ${int8(number)}, ${by}, ${int8(owned_max)}, ${instant(at)}
          ) as answer`,
        (other) => [{ answer: usedElsewhere(other) }]
      ).pipe(Effect.map(answerOf(confirmedOf)), Effect.orDie),

    reject: ({ companyId, number }, { at, by, reason }) =>
      sql<{ rejected: boolean }>`
        select ${sql.cell}.reject_funding(
          ${int8(companyId)}, ${int8(number)}, ${by}, ${reason}, ${instant(at)}
        ) as rejected`.pipe(
        Effect.map(([row]) => row?.rejected === true),
        Effect.orDie
      )
  })
})

/** Reads the answer of a statement that returns exactly one row. */
const answerOf =
  <Answer, A>(read: (answer: Answer) => A) =>
  ([row]: ReadonlyArray<{ readonly answer: Answer }>): A => {
    if (row === undefined) throw new Error("the function returned no answer")
    return read(row.answer)
  }

/** `FundingProposals` in Postgres, through sql/functions/proposal.sql and sql/funding.sql. */
export const layer = Layer.effect(FundingProposals, make)
