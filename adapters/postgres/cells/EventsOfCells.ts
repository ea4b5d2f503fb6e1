import { Effect, Layer, Order, Schedule, Stream } from "effect"
import { Deliveries, DeliveryReports } from "../../../core/ports/Deliveries.ts"
import { Events } from "../../../core/ports/Events.ts"
import { type Webhook, Webhooks } from "../../../core/ports/Webhooks.ts"
import * as DeliveriesPostgres from "../events/DeliveriesPostgres.ts"
import * as DeliveryReportsPostgres from "../events/DeliveryReportsPostgres.ts"
import * as EventsPostgres from "../events/EventsPostgres.ts"
import * as WebhooksPostgres from "../events/WebhooksPostgres.ts"
import { perCell } from "./Cells.ts"
import { claimInTurn, fromEach } from "./CellWork.ts"

const events = Effect.map(perCell(Events, EventsPostgres.layer), ({ all, of, open }) =>
  Events.of({
    list: (companyId, wanted) => Effect.flatMap(of(companyId), (cell) => cell.list(companyId, wanted)),
    turnedOn: Effect.fnUntraced(function* (companies) {
      const parts = yield* Effect.forEach(yield* all, (cell) => cell.turnedOn(companies))
      return new Set(parts.flatMap((part) => [...part]))
    }),
    turn: (companyId, on, at) => Effect.flatMap(of(companyId), (cell) => cell.turn(companyId, on, at)),
    purge: (before, limit) =>
      Effect.map(
        fromEach(open, (cell) => cell.purge(before, limit)),
        (parts) => Math.max(0, ...parts)
      )
  })
)

const byCompany = Order.combine(
  Order.mapInput(Order.Number, (webhook: Webhook) => webhook.companyId),
  Order.mapInput(Order.Number, (webhook: Webhook) => webhook.id)
)

const webhooks = Effect.map(perCell(Webhooks, WebhooksPostgres.layer), ({ all, of }) =>
  Webhooks.of({
    add: (companyId, choice, secret, at) =>
      Effect.flatMap(of(companyId), (cell) => cell.add(companyId, choice, secret, at)),
    list: Effect.fnUntraced(function* (companyId) {
      if (companyId !== undefined) return yield* (yield* of(companyId)).list(companyId)
      const parts = yield* Effect.forEach(yield* all, (cell) => cell.list())
      return parts.flat().sort(byCompany)
    }),
    find: (companyId, id) => Effect.flatMap(of(companyId), (cell) => cell.find(companyId, id)),
    change: (companyId, id, changes) => Effect.flatMap(of(companyId), (cell) => cell.change(companyId, id, changes)),
    remove: (companyId, id) => Effect.flatMap(of(companyId), (cell) => cell.remove(companyId, id)),
    rotate: (companyId, id, secret, previousUntil) =>
      Effect.flatMap(of(companyId), (cell) => cell.rotate(companyId, id, secret, previousUntil))
  })
)

/** Waits until a database answers. Other nodes announce their deliveries during this wait. */
const whenItAnswers = <Service>(service: Effect.Effect<Service>) =>
  Effect.orDie(Effect.retry(Effect.catchDefect(service, Effect.fail), Schedule.spaced("1 second")))

// Ids of webhooks are unique over cells, so `busy` of a claim means the same webhooks in every cell.
const deliveries = Effect.map(perCell(Deliveries, DeliveriesPostgres.layer), ({ of, ofNodes, open }) =>
  Deliveries.of({
    claim: claimInTurn(open, (cell, wanted) => cell.claim(wanted)),
    record: (claimed, result) => Effect.flatMap(of(claimed.event.companyId), (cell) => cell.record(claimed, result)),
    // All cells of a node announce their deliveries on one channel of its database.
    arrivals: Stream.unwrap(
      Effect.map(whenItAnswers(ofNodes), (cells) =>
        Stream.mergeAll(
          cells.map(({ service }) => Stream.unwrap(Effect.map(whenItAnswers(service), (cell) => cell.arrivals))),
          { concurrency: "unbounded" }
        )
      )
    ),
    test: (companyId, id, at) => Effect.flatMap(of(companyId), (cell) => cell.test(companyId, id, at)),
    list: (companyId, id, filter, page) =>
      Effect.flatMap(of(companyId), (cell) => cell.list(companyId, id, filter, page)),
    replay: (companyId, id, wanted, at) =>
      Effect.flatMap(of(companyId), (cell) => cell.replay(companyId, id, wanted, at))
  })
)

const deliveryReports = Effect.map(perCell(DeliveryReports, DeliveryReportsPostgres.layer), ({ all, of }) =>
  DeliveryReports.of({
    read: (companyId, id, now) => Effect.flatMap(of(companyId), (cell) => cell.read(companyId, id, now)),
    dueSince: Effect.fnUntraced(function* (shown, now) {
      const parts = yield* Effect.forEach(yield* all, (cell) => cell.dueSince(shown, now))
      return new Map(parts.flatMap((part) => [...part]))
    })
  })
)

/** Events, webhooks and deliveries, over all cells. */
export const layer = Layer.mergeAll(
  Layer.effect(Events, events),
  Layer.effect(Webhooks, webhooks),
  Layer.effect(Deliveries, deliveries)
)

/** Reports about deliveries for the operator, over all cells. */
export const reportsLayer = Layer.effect(DeliveryReports, deliveryReports)
