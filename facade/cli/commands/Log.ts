import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { AuditAction } from "../../../core/domain/AuditAction.ts"
import { TransactionId } from "../../../core/domain/Ids.ts"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { Actor } from "../../../core/domain/Operator.ts"
import { AuditEvents, type RecordedEvent } from "../../../core/ports/AuditEvents.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { orDefault, wholeNumber } from "../terminal/Flags.ts"
import { type Document, formatFields, formatTable, print } from "../terminal/Output.ts"
import { companyFilter, dayFlag, pageSize, textFlag } from "../terminal/Parameters.ts"

const eventDocument = ({ action, actor, at, companyId, details, id, tokenId }: RecordedEvent): Document => ({
  evento_id: id,
  fecha: formatLocal(at),
  accion: action,
  operador: actor?.name ?? null,
  via: actor?.via ?? null,
  direccion: actor?.address ?? null,
  empresa_id: companyId,
  token_id: tokenId,
  detalles: details
})

// Postgres sorts the fields of a JSON document, which puts "after" before "before".
const detailsText = ({ after, before, ...others }: RecordedEvent["details"]): string => {
  const change = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
  return formatFields({ ...others, ...change }).replaceAll("\n", ", ")
}

/** The columns of an event in a table. The details take the rest of the line. */
const eventRow = (event: RecordedEvent): Document => ({
  ...eventDocument(event),
  detalles: detailsText(event.details)
})

const notGiven = orDefault(undefined, "any")

export const log = Command.make(
  "log",
  {
    actor: textFlag("operador", 80, "Only changes by this operator").pipe(notGiven),
    action: Flag.Literals("accion", AuditAction.literals).pipe(
      Flag.withDescription("Only this action, as the column accion names it"),
      notGiven
    ),
    companyId: companyFilter,
    transactionId: wholeNumber("transaccion", { minimum: 1 }, "Only events about this transaction").pipe(
      Flag.map(TransactionId.make),
      notGiven
    ),
    via: Flag.Literals("origen", Actor.fields.via.literals).pipe(
      Flag.withDescription("Only changes made in the console, on the command line (cli), or by the service itself"),
      notGiven
    ),
    address: textFlag("ip", 200, "Only changes from this address, or by this system login").pipe(notGiven),
    from: dayFlag("desde", "First day").pipe(notGiven),
    to: dayFlag("hasta", "Last day").pipe(notGiven),
    before: wholeNumber(
      "antes-de",
      { minimum: 1 },
      "Only events before the event with this id, for the next page"
    ).pipe(orDefault(undefined, "the newest events")),
    limit: pageSize(200)
  },
  Effect.fn(function* ({ before, limit, ...filter }) {
    const { items, next } = yield* AuditEvents.use(({ page }) => page(filter, before, limit))
    const more = next === null ? "" : `\n\nMore events follow. Add --antes-de ${next} to see them.`
    yield* print(
      { items: items.map(eventDocument), siguiente: next },
      items.length === 0 ? "No such events." : `${formatTable(items.map(eventRow))}${more}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Show the audit log, newest event first: each change of an operator with the name, the place from which it was made, and the values before and after. Also refused sign-ins, and late answers of providers. Filters are combined."
  ),
  Command.withShortDescription("Show the audit log"),
  Command.withExamples([
    { command: "saldo log --operador Ana --desde 2027-01-31", description: "What Ana has changed since a day" },
    { command: "saldo log --empresa 7 --accion deposit_recorded", description: "The deposits of company 7" }
  ])
)
