import { DateTime, Effect } from "effect"
import { Sequence } from "../../../core/domain/Event.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import type { EventType } from "../../../core/domain/Webhook.ts"
import { Accounts } from "../../../core/ports/Accounts.ts"
import { Events } from "../../../core/ports/Events.ts"
import { Webhooks } from "../../../core/ports/Webhooks.ts"
import { createWebhook, removeWebhook, replayEvents } from "../../../core/workflows/ManageWebhooks.ts"
import { SeededRandom } from "../../support/SeededRandom.ts"
import { type EndpointKind, endpointKindOf, endpointUrl } from "../engine/EndpointRecords.ts"
import { companies, sessionOf } from "../process/CompaniesAndCatalogue.ts"
import type { Operation } from "./Operation.ts"

/** A webhook that a company adds in the opening phase. */
interface PlannedWebhook {
  readonly kind: EndpointKind
  /** The types that it receives. Empty for all types. */
  readonly eventTypes: ReadonlyArray<EventType>
}

/** The events and webhooks of a company in one run. */
export interface EventPlan {
  readonly companyId: number
  /** Whether the operator turns the events on. A webhook turns them on too. */
  readonly on: boolean
  readonly webhooks: ReadonlyArray<PlannedWebhook>
}

/**
 * Types that a failing webhook receives. They are rare, because each delivery to a failing webhook is attempted ten
 * times.
 */
const rareTypes: ReadonlyArray<EventType> = ["transaction.reversed", "insurance.failed", "balance.recovered"]

const someTypes: ReadonlyArray<EventType> = ["transaction.succeeded", "transaction.failed", "balance.low"]

const secondWebhook = (chance: SeededRandom): ReadonlyArray<PlannedWebhook> => {
  const kind = chance.weighted<EndpointKind | "none">({
    none: 20,
    temporary: 35,
    failing: 15,
    hanging: 10,
    gone: 20,
    healthy: 0
  })
  if (kind === "none") return []
  return [{ kind, eventTypes: kind === "failing" || kind === "hanging" ? rareTypes : [] }]
}

/** Which companies have events and webhooks in the run of a seed. The shared sandbox never has webhooks. */
export const eventPlansOf = (seed: number): ReadonlyArray<EventPlan> =>
  companies.map(({ code, id }) => {
    const chance = new SeededRandom(seed, `events of ${id}`)
    const mode = chance.weighted({ off: 25, on: 20, webhooks: 55 })
    const hasWebhooks = mode === "webhooks" && code !== "SANDBOX"
    const first: PlannedWebhook = { kind: "healthy", eventTypes: chance.happens(0.5) ? [] : someTypes }
    return {
      companyId: id,
      on: mode !== "off" && !hasWebhooks,
      webhooks: hasWebhooks ? [first, ...secondWebhook(chance)] : []
    }
  })

/** Turns the events of a company on, and adds its webhooks. */
export const openWebhooks = Effect.fnUntraced(function* ({ companyId, on, webhooks }: EventPlan) {
  const id = CompanyId.make(companyId)
  const events = yield* Events
  if (on) yield* events.turn(id, true, yield* DateTime.now)
  for (const { eventTypes, kind } of webhooks)
    yield* createWebhook(sessionOf(companyId), endpointUrl(kind, companyId), { eventTypes })
})

type OperationOf<Do extends Operation["do"]> = Operation & { readonly do: Do }

/** Sets the value below which the available amount counts as low. */
export const setAlert = Effect.fnUntraced(function* ({ centavos, company }: OperationOf<"alert">) {
  const accounts = yield* Accounts
  const lowBalanceAlert = Centavos.make(centavos)
  yield* accounts.configure(CompanyId.make(company), { lowBalanceAlert }, yield* DateTime.now)
})

/** The webhooks of a company whose endpoint is of the given kind. */
const webhooksOf = Effect.fnUntraced(function* (companyId: CompanyId, kind: EndpointKind) {
  const webhooks = yield* Webhooks
  return (yield* webhooks.list(companyId)).filter(({ url }) => endpointKindOf(url) === kind)
})

/** Deletes the temporary webhook of a company, if it has one. */
export const deleteTemporary = Effect.fnUntraced(function* ({ company }: OperationOf<"delete webhook">) {
  const companyId = CompanyId.make(company)
  for (const { id } of yield* webhooksOf(companyId, "temporary")) yield* removeWebhook(companyId, id)
})

/** Sends an event to the healthy webhook of a company again. */
export const replayEvent = Effect.fnUntraced(function* ({ company, sequence }: OperationOf<"replay">) {
  const companyId = CompanyId.make(company)
  for (const { id } of yield* webhooksOf(companyId, "healthy"))
    yield* replayEvents(companyId, id, { sequence: Sequence.make(sequence) })
})
