import { DateTime, Effect, Layer, Order } from "effect"
import { Insurances } from "../../../core/ports/Insurances.ts"
import { Outbox, type UndeliveredSms } from "../../../core/ports/Outbox.ts"
import * as InsurancesPostgres from "../insurance/InsurancesPostgres.ts"
import * as OutboxPostgres from "../insurance/OutboxPostgres.ts"
import { perCell } from "./Cells.ts"
import { claimInTurn } from "./CellWork.ts"

const insurances = Effect.map(perCell(Insurances, InsurancesPostgres.layer), ({ of }) =>
  Insurances.of({
    nextId: (companyId) => Effect.flatMap(of(companyId), (cell) => cell.nextId(companyId)),
    create: (id, insurance, first) =>
      Effect.flatMap(of(insurance.companyId), (cell) => cell.create(id, insurance, first)),
    find: (companyId, id) => Effect.flatMap(of(companyId), (cell) => cell.find(companyId, id)),
    resend: (companyId, id, next) => Effect.flatMap(of(companyId), (cell) => cell.resend(companyId, id, next)),
    attempt: (companyId, id) => Effect.flatMap(of(companyId), (cell) => cell.attempt(companyId, id)),
    advance: (companyId, id, step) => Effect.flatMap(of(companyId), (cell) => cell.advance(companyId, id, step)),
    beginIssue: (order) => Effect.flatMap(of(order.companyId), (cell) => cell.beginIssue(order))
  })
)

const newestFirst = Order.flip(
  Order.combine(
    Order.mapInput(DateTime.Order, (sms: UndeliveredSms) => sms.createdAt),
    Order.mapInput(Order.String, (sms: UndeliveredSms) => sms.id)
  )
)

const outbox = Effect.map(perCell(Outbox, OutboxPostgres.layer), ({ all, of, open }) =>
  Outbox.of({
    claim: claimInTurn(open, (cell, wanted) => cell.claim(wanted)),
    record: (sms, result, at) => Effect.flatMap(of(sms.companyId), (cell) => cell.record(sms, result, at)),
    claimTraced: claimInTurn(open, (cell, wanted) => cell.claimTraced(wanted)),
    recordDelivery: (sms, result) => Effect.flatMap(of(sms.companyId), (cell) => cell.recordDelivery(sms, result)),
    undelivered: Effect.fnUntraced(function* (limit) {
      const parts = yield* Effect.forEach(yield* all, (cell) => cell.undelivered(limit))
      return parts.flat().sort(newestFirst).slice(0, limit)
    })
  })
)

/** Insurances and their messages, over all cells. */
export const layer = Layer.mergeAll(Layer.effect(Insurances, insurances), Layer.effect(Outbox, outbox))
