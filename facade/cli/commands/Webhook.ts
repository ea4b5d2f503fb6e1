import { DateTime, Effect, Option } from "effect"
import { Argument, CliError, Command } from "effect/cli"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import { type Webhook, Webhooks } from "../../../core/ports/Webhooks.ts"
import { companyOf } from "../../../core/workflows/ManageCompany.ts"
import { disableWebhook, replayWebhook, showWebhook } from "../../../core/workflows/OperateWebhooks.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { deliveryView } from "../../api/Entregas.ts"
import { webhookView } from "../../api/Webhooks.ts"
import { orDefault, toggle } from "../terminal/Flags.ts"
import { type Document, formatFields, formatTable, print } from "../terminal/Output.ts"
import { companyId, instantFlag, webhookId } from "../terminal/Parameters.ts"

const webhookDocument = (webhook: Webhook): Document => {
  const { webhook_id, ...shown } = webhookView(webhook)
  return { webhook_id, empresa_id: webhook.companyId, ...shown }
}

const list = Command.make(
  "list",
  { companyId: Argument.optional(companyId) },
  Effect.fn(function* ({ companyId }) {
    const company = Option.getOrUndefined(companyId)
    if (company !== undefined) yield* companyOf(company)
    const webhooks = yield* Webhooks
    const items = (yield* webhooks.list(company)).map(webhookDocument)
    yield* print({ items }, items.length === 0 ? "There are no webhooks." : formatTable(items))
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "List the webhooks of all companies or of one company. If estado is desactivado, the service or the operator has disabled the webhook. falla_desde is the time since which every delivery has failed. After five days of failures the service disables the webhook. Secrets are never shown."
  ),
  Command.withShortDescription("List the webhooks"),
  Command.withExamples([
    { command: "saldo webhook list", description: "The webhooks of all companies" },
    { command: "saldo webhook list 7", description: "The webhooks of company 7" }
  ])
)

const show = Command.make(
  "show",
  { webhookId },
  Effect.fn(function* ({ webhookId }) {
    const { report, webhook } = yield* showWebhook(webhookId)
    const shown = {
      ...webhookDocument(webhook),
      entregas: report.counts,
      espera_desde: report.dueSince === null ? null : formatOffset(report.dueSince)
    }
    const errors = report.errors.map(deliveryView)
    yield* print(
      { ...shown, ultimos_errores: errors },
      errors.length === 0 ? formatFields(shown) : `${formatFields(shown)}\n\nLast errors:\n${formatTable(errors)}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Show a webhook: its deliveries of the last 30 days by state, since when the oldest due delivery has been waiting (espera_desde), and the last ten errors. The secret is never shown."
  ),
  Command.withShortDescription("Show a webhook and its deliveries"),
  Command.withExamples([{ command: "saldo webhook show 3", description: "Webhook 3" }])
)

const disable = Command.make(
  "disable",
  { webhookId },
  Effect.fn(function* ({ webhookId }) {
    yield* print(
      webhookDocument(yield* disableWebhook(webhookId)),
      `Webhook ${webhookId} is disabled and receives nothing. Its company can activate it again with PATCH /v1/webhooks/${webhookId}. Events from now on are not queued for it. Send them later with "saldo webhook replay ${webhookId} --desde INSTANT".`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Disable a webhook: no delivery to it begins any more. Deliveries that are waiting stay in the queue. Only its company can activate it again, with PATCH /v1/webhooks/{id}."
  ),
  Command.withShortDescription("Stop the deliveries to a webhook"),
  Command.withExamples([{ command: "saldo webhook disable 3", description: "Webhook 3" }])
)

const replayMessage = (events: number, { id, state }: Webhook): string => {
  if (events === 0) return "No event matches. Nothing was queued. Events are kept for 30 days."
  const queued = `${events} ${events === 1 ? "event is" : "events are"} queued for webhook ${id}.`
  const waits = ` The webhook is ${state}, so they wait until its company activates it with PATCH /v1/webhooks/${id}.`
  return state === "activo" ? `${queued} Watch them with "saldo webhook show ${id}".` : queued + waits
}

const replay = Command.make(
  "replay",
  {
    webhookId,
    since: instantFlag("desde", "Events from this instant on"),
    until: instantFlag("hasta", "Events up to this instant").pipe(orDefault(null, "now")),
    onlyFailed: toggle("solo-fallidas", "Only events with a failed delivery that is no longer retried")
  },
  Effect.fn(function* ({ webhookId, ...span }) {
    const { events, webhook } = yield* replayWebhook(webhookId, span)
    yield* print(
      { webhook_id: webhookId, empresa_id: webhook.companyId, estado: webhook.state, eventos: events },
      replayMessage(events, webhook)
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.validate(({ since, until }) =>
    until === null || DateTime.isLessThanOrEqualTo(since, until)
      ? Effect.void
      : new CliError.ValidationError({ message: "--hasta is before --desde. No event can match." })
  ),
  Command.withDescription(
    "Send the events of a time span to a webhook again. Each event keeps its id, so a receiver recognizes the events that it already has. Retries start again from the first attempt. The replay includes events that the webhook never received, such as events from the time when it was disabled. It also includes types that the webhook does not select."
  ),
  Command.withShortDescription("Send events to a webhook again"),
  Command.withExamples([
    {
      command: "saldo webhook replay 3 --desde 2027-01-31T08:00:00-04:00 --hasta 2027-01-31T12:00:00-04:00",
      description: "The events of a morning"
    },
    {
      command: "saldo webhook replay 3 --desde 2027-01-31T00:00:00-04:00 --solo-fallidas",
      description: "The failed deliveries since an instant"
    }
  ])
)

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("Webhooks of companies, and the deliveries to them"),
  Command.withSubcommands([list, show, disable, replay])
)
