import { Effect } from "effect"
import { type Connection, claimName, onSuccess } from "../engine/OutsideCall.ts"
import type { Simulation } from "../engine/Simulation.ts"
import { deliveryName } from "../invariants/DeliveryInvariants.ts"
import type { Invariants } from "../invariants/Invariants.ts"
import type { DatabasePorts } from "../process/Store.ts"

type EventPorts = Pick<DatabasePorts, "deliveries" | "events" | "webhooks">

/** Wraps the ports for events and webhooks. */
export const eventsOver = (
  { ask, incarnation, write }: Connection,
  ports: EventPorts,
  invariants: Invariants,
  sim: Simulation
): EventPorts => {
  const { deliveries, events, webhooks } = ports
  /** Makes a change that no fault hits. */
  const change = <A, E>(companyId: number, work: Effect.Effect<A, E>, look: (value: A) => void = () => {}) =>
    Effect.tap(ask(work), (value) =>
      Effect.sync(() => {
        look(value)
        sim.store.wrote(companyId)
      })
    )
  return {
    deliveries: {
      ...deliveries,
      claim: (claim) =>
        Effect.suspend(() => {
          const began_ms = sim.eventLoop.now_ms
          return write(
            "claim",
            claimName(incarnation, claim),
            null,
            deliveries.claim(claim),
            onSuccess((claimed) => {
              invariants.claims.claimed(
                claim,
                claimed.map(({ event, webhook }) => deliveryName(webhook.id, event.sequence))
              )
              invariants.deliveries.claimed(began_ms, claimed)
            })
          )
        }),
      record: (claimed, result) => {
        const name = deliveryName(claimed.webhook.id, claimed.event.sequence)
        return write(
          "record",
          name,
          null,
          deliveries.record(claimed, result),
          onSuccess((isDisabled) => {
            invariants.claims.released(name)
            if (isDisabled) invariants.deliveries.disabled(claimed.webhook.id)
          })
        )
      },
      replay: (companyId, id, wanted, at) =>
        change(companyId, deliveries.replay(companyId, id, wanted, at), () => {
          if ("sequence" in wanted) invariants.claims.released(deliveryName(id, wanted.sequence))
        })
    },
    events: { ...events, turn: (companyId, on, at) => change(companyId, events.turn(companyId, on, at)) },
    webhooks: {
      ...webhooks,
      add: (companyId, choice, secret, at) =>
        change(companyId, webhooks.add(companyId, choice, secret, at), (added) => {
          if (added._tag === "Some") invariants.deliveries.added(added.value)
        }),
      list: (companyId) => ask(webhooks.list(companyId)),
      find: (companyId, id) => ask(webhooks.find(companyId, id)),
      remove: (companyId, id) =>
        change(companyId, webhooks.remove(companyId, id), () => invariants.deliveries.deleted(id))
    }
  }
}
