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
  failed: "failed: it did not go and never will.",
  unknown: "unknown: it may have gone, and is not sent again."
}

/** Explains the listed states, and what the seller can do. */
const formatMeanings = (undelivered: ReadonlyArray<UndeliveredSms>): string =>
  [
    ...[...new Set(undelivered.map(({ status }) => status))].toSorted().map((status) => meanings[status]),
    "The seller may have another code sent: POST /v1/seguros/{id}/otp."
  ].join("\n")

const list = Command.make(
  "list",
  { limit: wholeNumber("ultimos", { minimum: 1, maximum: 1000 }, "How many of the newest").pipe(orDefault(50)) },
  Effect.fn(function* ({ limit }) {
    const outbox = yield* Outbox
    const undelivered = yield* outbox.undelivered(limit)
    const items = undelivered.map(smsDocument)
    yield* print(
      { items },
      items.length === 0
        ? "Every message has arrived or is still on its way."
        : `${formatTable(items)}\n\n${formatMeanings(undelivered)}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "List the messages that did not arrive, newest first, with what the gateway said. Phone and text are never shown: they are erased once a message is settled."
  ),
  Command.withShortDescription("List the messages that did not arrive"),
  Command.withExamples([{ command: "saldo sms list --ultimos 10", description: "The last ten that did not arrive" }])
)

export const sms = Command.make("sms").pipe(
  Command.withDescription("Messages to the owners of vehicles"),
  Command.withSubcommands([list])
)
