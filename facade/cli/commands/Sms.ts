import { Effect } from "effect"
import { Command } from "effect/cli"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { Outbox, type UndeliveredSms } from "../../../core/ports/Outbox.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { orDefault, wholeNumber } from "../terminal/Flags.ts"
import { type Document, formatTable, print } from "../terminal/Output.ts"

const smsDocument = ({ companyId, createdAt, id, insuranceId, reason, status }: UndeliveredSms): Document => ({
  sms_id: id,
  empresa_id: companyId,
  seguro_id: insuranceId,
  estado: status,
  motivo: reason,
  created_at: formatLocal(createdAt)
})

const meanings: { readonly [Status in UndeliveredSms["status"]]: string } = {
  failed: "failed: the SMS was not sent or not delivered, and never will be. A new code does not count as a resend.",
  unknown: "unknown: the SMS may have been sent. It is not sent again."
}

/** Explains the listed states, and what the seller can do. */
const formatMeanings = (undelivered: ReadonlyArray<UndeliveredSms>): string =>
  [
    ...[...new Set(undelivered.map(({ status }) => status))].toSorted().map((status) => meanings[status]),
    "The seller can request a new code with POST /v1/seguros/{id}/otp."
  ].join("\n")

const list = Command.make(
  "list",
  {
    limit: wholeNumber("ultimos", { minimum: 1, maximum: 1000 }, "How many of the latest to list").pipe(orDefault(50))
  },
  Effect.fn(function* ({ limit }) {
    const outbox = yield* Outbox
    const undelivered = yield* outbox.undelivered(limit)
    const items = undelivered.map(smsDocument)
    yield* print(
      { items },
      items.length === 0 ? "There are no undelivered SMS." : `${formatTable(items)}\n\n${formatMeanings(undelivered)}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "List the undelivered SMS, newest first, with the gateway's reason. Phone and text are never shown, because they are erased when an SMS is settled."
  ),
  Command.withShortDescription("List the undelivered SMS"),
  Command.withExamples([{ command: "saldo sms list --ultimos 10", description: "The latest ten undelivered SMS" }])
)

export const sms = Command.make("sms").pipe(
  Command.withDescription("SMS to vehicle owners"),
  Command.withSubcommands([list])
)
