import { DateTime, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import type { Closing, ClosingProblem } from "../../../core/domain/Closing.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { dayOf, daysBefore, isDay } from "../../../core/domain/LocalTime.ts"
import { toPesos } from "../../../core/domain/Money.ts"
import type { ClosingMismatch } from "../../../core/domain/OperatorErrors.ts"
import { Closings } from "../../../core/ports/Closings.ts"
import { type ClosedDays, closeByHand, type VerifiedChains, verifyClosings } from "../../../core/workflows/CloseDays.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { closingLines, closingView } from "../../api/ClosingView.ts"
import { toggle } from "../terminal/Flags.ts"
import { CheckFailed, type Document, formatFields, formatTable, print } from "../terminal/Output.ts"
import { companyFilter } from "../terminal/Parameters.ts"
import { withProgress } from "../terminal/Progress.ts"

const closingDocument = (closing: Closing): Document => ({
  empresa_id: closing.content.companyId,
  ...closingView(closing)
})

/** A closing in one row. */
const rowOf = ({ content }: Closing): Document => ({
  empresa_id: content.companyId,
  saldo_inicial: toPesos(content.opening),
  depositos: toPesos(content.deposits.amount),
  ventas: toPesos(content.sales.amount),
  anulaciones: toPesos(content.reversals.amount),
  ajustes: toPesos(content.adjustments.amount),
  saldo_final: toPesos(content.closing),
  retenido_final: toPesos(content.held.amount)
})

const formatClosing = (closing: Closing): string => {
  const view = closingView(closing)
  const { cerrado_en, dia, sello, sello_anterior } = view
  const head = formatFields({ empresa_id: closing.content.companyId, dia, cerrado_en, sello, sello_anterior })
  return `${head}\n\n${formatTable(closingLines(view).map((line) => ({ ...line })))}`
}

const problemDocument = ({ expected, found, part }: ClosingProblem): Document => ({
  parte: part,
  esperado: { cantidad: expected.count, monto: toPesos(expected.amount) },
  hallado: { cantidad: found.count, monto: toPesos(found.amount) }
})

const mismatchDocument = ({ companyId, day, problems }: ClosingMismatch): Document => ({
  empresa_id: companyId,
  dia: day,
  problemas: problems.map(problemDocument)
})

const formatMismatch = ({ companyId, day, problems }: ClosingMismatch): string =>
  [
    `BROKEN  company ${companyId}, ${day}: the figures do not add up, and the day was not closed`,
    ...problems.map(
      ({ expected, found, part }) =>
        `          ${part}: expected ${expected.count} with ${toPesos(expected.amount)}, found ${found.count} with ${toPesos(found.amount)}`
    )
  ].join("\n")

const formatClosed = (day: string, closings: ReadonlyArray<Closing>, one: boolean): string => {
  const [first] = closings
  if (first === undefined) return `No company has a closing of ${day}.`
  return one ? formatClosing(first) : `${day}\n${formatTable(closings.map(rowOf))}`
}

const readPage_max = 200

/** The closings of a day, of one company or of all. */
const closingsOf = Effect.fnUntraced(function* (day: string, companyId: CompanyId | undefined) {
  const closings = yield* Closings
  const found: Array<Closing> = []
  for (let page = 1; ; page++) {
    const { items } = yield* closings.ofCompanies(companyId, { from: day, to: day }, { page, perPage: readPage_max })
    found.push(...items)
    if (items.length < readPage_max) return found
  }
})

const printClosed = Effect.fnUntraced(function* (day: string, companyId: CompanyId | undefined, closed: ClosedDays) {
  const { isComplete, mismatches, stored, waiting } = closed
  const items = yield* closingsOf(day, companyId)
  const words = [
    ...mismatches.map(formatMismatch),
    ...waiting.map(
      (which) => `Company ${which.companyId}, ${which.day}: another process is closing it, or the company is closed.`
    ),
    ...(isComplete
      ? []
      : ["A cell did not answer, so the days of its companies are not closed. Run the command again."]),
    formatClosed(day, items, companyId !== undefined)
  ]
  yield* print(
    {
      dia: day,
      cierres_nuevos: stored,
      completo: isComplete,
      items: items.map(closingDocument),
      descuadres: mismatches.map(mismatchDocument),
      en_curso: waiting.map((which) => ({ empresa_id: which.companyId, dia: which.day }))
    },
    words.join("\n")
  )
  if (!isComplete || mismatches.length > 0 || waiting.length > 0) return yield* new CheckFailed()
})

const printVerified = Effect.fnUntraced(function* ({ broken, closings, companies }: VerifiedChains) {
  const ok = broken.length === 0
  yield* print(
    {
      ok,
      cierres: closings,
      empresas: companies,
      rotos: broken.map(({ companyId, day, fault }) => ({ empresa_id: companyId, dia: day, motivo: fault }))
    },
    [
      ...broken.map(({ companyId, day, fault }) => `BROKEN  company ${companyId}, ${day}: ${fault}`),
      `${ok ? "ok" : "BROKEN"}  ${closings} closings of ${companies} companies verified, ${broken.length} broken`
    ].join("\n")
  )
  if (!ok) return yield* new CheckFailed()
})

const dayArgument = Argument.String("day").pipe(
  Argument.withDescription("Local day such as 2026-01-31 (default: yesterday)"),
  Argument.filter(isDay, () => "Expected: a day such as 2026-01-31"),
  Argument.optional
)

export const close = Command.make(
  "close",
  {
    day: dayArgument,
    companyId: companyFilter,
    verify: toggle("verify", "Close nothing. Verify the seals of all closings, from the first to the last")
  },
  Effect.fn(function* ({ companyId, day, verify }) {
    if (verify) return yield* printVerified(yield* withProgress("verifying closings")(verifyClosings()))
    const now = yield* DateTime.now
    const last = Option.getOrElse(day, () => daysBefore(dayOf(now), 1))
    return yield* printClosed(last, companyId, yield* closeByHand(last, companyId))
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Close the days of all companies up to a day that is over, oldest first, and show the closings of that day. A closed day is only shown. The servers close yesterday by themselves ten minutes after midnight. Exit code 1 if the figures of a day do not add up, if another process is closing a day, if a cell does not answer, or if --verify finds a broken seal."
  ),
  Command.withShortDescription("Close a day, or show its closing"),
  Command.withExamples([
    { command: "saldo close", description: "Yesterday, of all companies" },
    { command: "saldo close 2026-01-31 --empresa 7", description: "All lines of one closing" },
    { command: "saldo close --verify", description: "Verify the seals" }
  ])
)
