import { basename } from "node:path"
import { setFlagsFromString } from "node:v8"
import { Effect, Option, Stream } from "effect"
import { CliError, Flag } from "effect/cli"
import { CaseKind } from "../../../core/domain/Case.ts"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { ProviderName, type StatementField, statementFields } from "../../../core/domain/ProviderStatement.ts"
import { Cases } from "../../../core/ports/Cases.ts"
import type { Comparison } from "../../../core/ports/ProviderStatements.ts"
import { compareStatement } from "../../../core/workflows/ManageCases.ts"
import { csvLines } from "../../api/Csv.ts"
import { readStatement } from "../../settings/StatementCsv.ts"
import { commaList, orDefault, toggle, withNote } from "../terminal/Flags.ts"
import { AsJson, CheckFailed, formatTable, print, printCsv } from "../terminal/Output.ts"
import { dayFlag } from "../terminal/Parameters.ts"
import { withProgress } from "../terminal/Progress.ts"
import { caseColumns, caseDocument, caseRow, caseTableRow } from "./CaseDocuments.ts"

const isField = (name: string): name is StatementField => statementFields.some((field) => field === name)

const readMapping = (pairs: ReadonlyArray<string>): Option.Option<ReadonlyMap<StatementField, string>> => {
  const mapping = new Map<StatementField, string>()
  for (const pair of pairs) {
    const mark = pair.lastIndexOf("=")
    const [column, field] = [pair.slice(0, mark).trim(), pair.slice(mark + 1).trim()]
    if (mark === -1 || column === "" || !isField(field) || mapping.has(field)) return Option.none()
    mapping.set(field, column)
  }
  return Option.some(mapping)
}

const mappingForm = `COLUMN=field, separated by commas; fields are ${statementFields.join(", ")}, each once`

/** The flags of `saldo reconcile` that compare a statement. */
export const statementFlags = {
  file: Flag.File("extracto", { mustExist: true }).pipe(
    Flag.withDescription("Compare this statement of a provider, a CSV file, with the sales"),
    orDefault(null, "none")
  ),
  provider: Flag.Literals("proveedor", ProviderName.literals).pipe(
    Flag.withDescription("With --extracto: the provider of the statement"),
    orDefault(null, "none")
  ),
  from: dayFlag("desde", "With --extracto: the first local day to compare").pipe(orDefault(null, "none")),
  to: dayFlag("hasta", "With --extracto: the last local day to compare").pipe(orDefault(null, "none")),
  mapping: commaList("mapa", "With --extracto: columns with other names than in the provider's export").pipe(
    withNote("such as Referencia=xid,Valor=amount"),
    Flag.withMetavar("COLUMN=field"),
    Flag.filterMap(readMapping, () => `Expected: ${mappingForm}`),
    orDefault(null, "none")
  ),
  asCsv: toggle("csv", "With --extracto: print all differences as CSV")
}

interface StatementOptions {
  readonly file: string | null
  readonly provider: ProviderName | null
  readonly from: string | null
  readonly to: string | null
  readonly mapping: ReadonlyMap<StatementField, string> | null
  readonly asCsv: boolean
}

/** Rejects flags that cannot be combined or that need another flag. */
export const checkStatementFlags = ({ asCsv, file, from, mapping, provider, to }: StatementOptions) => {
  const wrong = (message: string) => new CliError.ValidationError({ message })
  if (file === null) {
    return asCsv || [from, mapping, provider, to].some((each) => each !== null)
      ? wrong("--proveedor, --desde, --hasta, --mapa and --csv need --extracto.")
      : Effect.void
  }
  if (provider === null) return wrong(`--extracto needs --proveedor: one of ${ProviderName.literals.join(", ")}.`)
  if ((from === null) !== (to === null)) return wrong("--desde and --hasta need each other.")
  return from !== null && to !== null && from > to ? wrong("--hasta is before --desde.") : Effect.void
}

/** Maximum number of differences in the text and in the JSON document. With --csv, all differences are printed. */
const shown_max = { text: 50, json: 1_000 }

const kindTexts: Readonly<Record<CaseKind, string>> = {
  solo_nuestro: "only ours",
  solo_suyo: "only theirs",
  otro_monto: "other amount",
  otro_estado: "other status"
}

const formatComparison = ({ cases, differences, lines, matched, since, until }: Comparison, total: number): string => {
  const counts = CaseKind.literals.map((kind) => `${kindTexts[kind]} ${differences[kind]}`).join(", ")
  return [
    `Compared ${lines} lines with the sales from ${formatLocal(since)} to ${formatLocal(until)}.`,
    `${matched} match, ${total} differ: ${counts}.`,
    `New cases ${cases.found}, opened again ${cases.reopened}, no longer found ${cases.gone}. Nothing was moved.`
  ].join("\n")
}

/**
 * How far the heap may grow before V8 collects garbage. With 20 %, comparing a million lines needs 230 MB instead of
 * 360 MB, and hardly more time.
 */
const heapGrowth_percent = 20

/** Compares a statement with the sales and prints the differences. Fails if there are differences. */
export const compareFile = Effect.fnUntraced(function* (
  path: string,
  provider: ProviderName,
  options: StatementOptions
) {
  const { asCsv, from, mapping, to } = options
  // By default V8 lets the garbage of a large file grow to twice the memory in use. This process only compares a file.
  setFlagsFromString(`--heap-growing-percent=${heapGrowth_percent}`)
  const compared = yield* compareStatement({
    provider,
    file: basename(path),
    lines: readStatement({ source: { path }, provider, mapping: mapping ?? new Map() }),
    days: from === null || to === null ? null : { from, to }
  }).pipe(withProgress("comparing the statement"))
  const { at, cases, differences, lines, matched, since, until } = compared
  const total = Object.values(differences).reduce((sum, each) => sum + each, 0)
  const found = yield* Cases.useSync(({ all }) => all({ provider, seenAt: at }))
  if (asCsv) {
    yield* printCsv(csvLines(caseColumns, Stream.map(found, caseRow)), total)
    if (total > 0) return yield* new CheckFailed()
    return
  }
  const items = yield* Stream.runCollect(Stream.take(found, (yield* AsJson) ? shown_max.json : shown_max.text))
  const more = total - items.length
  yield* print(
    {
      proveedor: provider,
      extracto: basename(path),
      desde: formatLocal(since),
      hasta: formatLocal(until),
      lineas: lines,
      conciliadas: matched,
      diferencias: differences,
      casos: { nuevos: cases.found, reabiertos: cases.reopened, ya_no_aparecen: cases.gone },
      items: items.map(caseDocument),
      sin_mostrar: more
    },
    [
      formatComparison(compared, total),
      ...(items.length === 0 ? [] : ["", formatTable(items.map(caseTableRow))]),
      ...(more === 0 ? [] : ["", `${more} more: --csv prints all of them.`])
    ].join("\n")
  )
  if (total > 0) return yield* new CheckFailed()
})
