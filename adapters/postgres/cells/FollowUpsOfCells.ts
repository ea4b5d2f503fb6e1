import { Effect, Layer } from "effect"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { type ClaimedCheck, type FollowUpClaim, FollowUps } from "../../../core/ports/FollowUps.ts"
import { Questions, Replays } from "../../../core/ports/Histories.ts"
import * as FollowUpsPostgres from "../ledger/FollowUpsPostgres.ts"
import * as HistoryRecordsPostgres from "../ledger/HistoryRecordsPostgres.ts"
import { type PerCell, perCell } from "./Cells.ts"
import { claimInTurn } from "./CellWork.ts"

/** Writes a record to the company's cell. Never fails, because no caller waits for a record. */
const recordIn =
  <Service>(of: PerCell<Service>["of"]) =>
  (companyId: CompanyId, write: (cell: Service) => Effect.Effect<void>) =>
    Effect.catchCause(Effect.flatMap(of(companyId), write), (cause) =>
      Effect.logWarning("the cell of a record was not found", { companyId }, cause)
    )

const questions = Effect.map(perCell(Questions, HistoryRecordsPostgres.questionsLayer), ({ of }) => {
  const record = recordIn(of)
  return Questions.of({ record: (question) => record(question.order.companyId, (cell) => cell.record(question)) })
})

const replays = Effect.map(perCell(Replays, HistoryRecordsPostgres.replaysLayer), ({ of }) => {
  const record = recordIn(of)
  return Replays.of({ record: (replay) => record(replay.companyId, (cell) => cell.record(replay)) })
})

/** The claims of one check in several cells, as one claim. Null if other processes have claimed the check everywhere. */
const joined = ({ limit }: FollowUpClaim, parts: ReadonlyArray<ClaimedCheck>): ClaimedCheck | null => {
  const sales = parts.flatMap((part) => part.sales)
  return parts.length === 0
    ? null
    : {
        sales,
        // If the claim has reached its limit, some cells may have received no claim.
        isLast: sales.length < limit && parts.every((part) => part.isLast),
        skipped: parts.some((part) => part.skipped),
        finish: (areAsked) => Effect.forEach(parts, (part) => part.finish(areAsked), { discard: true })
      }
}

const followUps = Effect.map(perCell(FollowUps, FollowUpsPostgres.layer), ({ of, open }) => {
  const claimParts = claimInTurn(
    open,
    (cell, wanted: FollowUpClaim) => Effect.map(cell.claim(wanted), (claimed) => (claimed === null ? [] : [claimed])),
    ({ sales }) => sales.length
  )
  return FollowUps.of({
    claim: (wanted) => Effect.map(claimParts(wanted), (parts) => joined(wanted, parts)),
    stands: (sale) => Effect.flatMap(of(sale.order.companyId), (cell) => cell.stands(sale))
  })
})

/** The later checks of settled sales and the records of questions and replays, over all cells. */
export const layer = Layer.mergeAll(
  Layer.effect(FollowUps, followUps),
  Layer.effect(Questions, questions),
  Layer.effect(Replays, replays)
)
