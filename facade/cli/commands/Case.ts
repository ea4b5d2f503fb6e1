import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import {
  type Case,
  type CaseId,
  CaseKind,
  type CaseNote,
  CaseState,
  caseNoteLength_max
} from "../../../core/domain/Case.ts"
import { ProviderName } from "../../../core/domain/ProviderStatement.ts"
import { closeCase, listCases, noteCase, showCase } from "../../../core/workflows/ManageCases.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { pagesOf } from "../../api/Output.ts"
import { orDefault } from "../terminal/Flags.ts"
import { formatFields, formatTable, print } from "../terminal/Output.ts"
import { caseId, pageNumber, pageSize, textFlag } from "../terminal/Parameters.ts"
import { caseDocument, caseTableRow, noteDocument } from "./CaseDocuments.ts"

const perPage_max = 200

const list = Command.make(
  "list",
  {
    provider: Flag.Literals("proveedor", ProviderName.literals).pipe(
      Flag.withDescription("Only cases of this provider"),
      orDefault(undefined, "any")
    ),
    kind: Flag.Literals("tipo", CaseKind.literals).pipe(
      Flag.withDescription("Only this kind of difference"),
      orDefault(undefined, "any")
    ),
    state: Flag.Literals("estado", CaseState.literals).pipe(
      Flag.withDescription("Only cases in this state"),
      orDefault(undefined, "any")
    ),
    page: pageNumber,
    perPage: pageSize(perPage_max)
  },
  Effect.fn(function* ({ page, perPage, ...filter }) {
    const { items, total } = yield* listCases(filter, { page, perPage })
    const position = pagesOf({ page, perPage }, total)
    yield* print(
      { items: items.map(caseDocument), pagination: position },
      items.length === 0
        ? "No such cases."
        : `${formatTable(items.map(caseTableRow))}\n\nPage ${page} of ${position.total_pages}; ${total} in all.`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "List the differences between statements of providers and the sales, newest first. A case is abierto until an operator adds a note (anotado) or closes it (cerrado). ya_no_aparece is the time of the first later comparison that no longer had the difference."
  ),
  Command.withShortDescription("List the cases"),
  Command.withExamples([
    { command: "saldo case list --estado abierto", description: "The cases without a note" },
    { command: "saldo case list --proveedor dtone --tipo solo_suyo", description: "Lines of DT One without a sale" }
  ])
)

const printCase = ({ found, notes }: { readonly found: Case; readonly notes: ReadonlyArray<CaseNote> }) => {
  const shown = notes.map(noteDocument)
  return print(
    { ...caseDocument(found), notas: shown },
    shown.length === 0
      ? formatFields(caseDocument(found))
      : `${formatFields(caseDocument(found))}\n\n${formatTable(shown)}`
  )
}

const show = Command.make(
  "show",
  { caseId },
  Effect.fn(function* ({ caseId }) {
    yield* printCase(yield* showCase(caseId))
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription("Show a case: the sale as Saldo and as the provider know it, and the operators' notes."),
  Command.withShortDescription("Show a case and its notes"),
  Command.withExamples([{ command: "saldo case show 12", description: "Case 12" }])
)

const noteFlag = (description: string) => textFlag("nota", caseNoteLength_max, description)

const noteCommand = <E, R>(
  name: string,
  act: (id: CaseId, note: string) => Effect.Effect<Parameters<typeof printCase>[0], E, R>,
  flag: string,
  description: string
) =>
  Command.make(
    name,
    { caseId, note: noteFlag(flag) },
    Effect.fn(function* ({ caseId, note }) {
      yield* printCase(yield* act(caseId, note))
    })
  ).pipe(Command.withDescription(description))

const note = noteCommand(
  "note",
  noteCase,
  "What you found out",
  "Add a note to a case. The case becomes anotado. The note has your name, and cannot be changed or deleted."
).pipe(
  Command.provide(operatorLayer),
  Command.withExamples([
    { command: 'saldo case note 12 --nota "Asked DT One, ticket 4711"', description: "Case 12 waits for an answer" }
  ])
)

const close = noteCommand(
  "close",
  closeCase,
  "Why the case is closed",
  'Close a case with a note. Nothing else changes: correct a sale with "saldo transactions resolve". A closed case opens again only if a later comparison finds another amount or status.'
).pipe(
  Command.provide(operatorLayer),
  Command.withExamples([
    { command: 'saldo case close 12 --nota "DT One credited it on invoice 88"', description: "Case 12 is settled" }
  ])
)

export const caseCommand = Command.make("case").pipe(
  Command.withDescription("Differences between statements of providers and the sales"),
  Command.withSubcommands([list, show, note, close])
)
