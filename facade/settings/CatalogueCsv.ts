import { Effect, Result } from "effect"
import type { ContentPath, FileFault, ParsedFile } from "./JsonFile.ts"

/** The kinds of rows in a catalogue as CSV, and the list for each kind. */
const csvLists = { categoria: "categorias", servicio: "servicios", paquete: "paquetes" } as const

const numberColumns = [
  "id",
  "categoria_id",
  "monto_minimo",
  "monto_maximo",
  "service_id",
  "precio",
  "minutos",
  "sms"
] as const
const booleanColumns = ["acepta_anulacion", "requiere_consulta", "activo"] as const

/**
 * The columns of a catalogue as CSV. The first column has the kind of the entry. A cell is empty if its column does not
 * apply to that kind.
 */
export const csvColumns = [
  "entrada",
  "id",
  "nombre",
  "descripcion",
  "tipo",
  "categoria_id",
  "monto_minimo",
  "monto_maximo",
  "acepta_anulacion",
  "flujo",
  "requiere_consulta",
  "como_comprar",
  "producto_proveedor",
  "service_id",
  "codigo",
  "precio",
  "duracion",
  "datos",
  "minutos",
  "sms",
  "activo"
] as const

const isOneOf = <Name extends string>(names: ReadonlyArray<Name>, name: string): name is Name =>
  names.some((known) => known === name)

// Spreadsheets write booleans in the language of the user.
const booleans: Readonly<Record<string, boolean>> = {
  si: true,
  sí: true,
  true: true,
  verdadero: true,
  no: false,
  false: false,
  falso: false
}

const numberPattern = /^\d{1,15}(?:\.\d{1,2})?$/

/**
 * The value of a cell. A cell that should be a number or a boolean but is not stays a text, and a later check reports
 * it.
 */
const valueOf = (column: string, cell: string): string | number | boolean => {
  if (isOneOf(numberColumns, column)) return numberPattern.test(cell.trim()) ? Number(cell) : cell
  if (isOneOf(booleanColumns, column)) return booleans[cell.trim().toLowerCase()] ?? cell
  // Removes the apostrophe that facade/api/Csv.ts adds to a text that could be a formula.
  return cell.startsWith("'") ? cell.slice(1) : cell
}

interface Row {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

// Finds the delimiter in the header, because spreadsheets of some countries write semicolons. Column names contain no
// delimiter.
const delimiterOf = (text: string): string => {
  const [header = ""] = text.split(/[\r\n]/, 1)
  return [",", ";", "\t"].find((each) => header.includes(each)) ?? ","
}

/** The rows with content. Fails with the line that is not valid CSV. */
const rowsOf = (text: string) =>
  Effect.promise(async (): Promise<Result.Result<ReadonlyArray<Row>, FileFault>> => {
    const { CsvError, parse } = await import("csv-parse/sync")
    const rows: Array<Row> = []
    try {
      parse(text, {
        delimiter: delimiterOf(text),
        record_delimiter: ["\r\n", "\n", "\r"],
        relax_column_count: true,
        on_record: (cells: ReadonlyArray<string>, { lines }) => {
          if (cells.some((cell) => cell.trim() !== "")) rows.push({ line: lines, cells })
          return null
        }
      })
      return Result.succeed(rows)
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      return Result.fail({
        line: Number(error["lines"] ?? 1),
        column: null,
        path: [],
        reason: `Not CSV: ${error.message}`
      })
    }
  })

const faultsOfHeader = (header: ReadonlyArray<string>): ReadonlyArray<Pick<FileFault, "column" | "reason">> => [
  ...(header.includes("entrada") ? [] : [{ column: null, reason: "The column entrada is missing" }]),
  ...header.flatMap((name, index) => {
    const column = index + 1
    if (!isOneOf(csvColumns, name)) return [{ column, reason: `Unknown column ${name}` }]
    return header.indexOf(name) < index ? [{ column, reason: `The column ${name} is given twice` }] : []
  })
]

const wholeFile: ContentPath = []

/** Reads the rows into the lists of a catalogue file, and remembers the line of each entry. */
const listsOf = (header: ReadonlyArray<string>, rows: ReadonlyArray<Row>) => {
  const lists: Record<string, Array<unknown>> = { categorias: [], servicios: [], paquetes: [] }
  const lines: Record<string, Array<number>> = { categorias: [], servicios: [], paquetes: [] }
  const faults: Array<FileFault> = []
  for (const { cells, line } of rows) {
    const kind = (cells[header.indexOf("entrada")] ?? "").trim().toLowerCase()
    const list = isOneOf(Object.keys(csvLists) as ReadonlyArray<keyof typeof csvLists>, kind) ? csvLists[kind] : null
    if (cells.length > header.length) {
      faults.push({
        line,
        column: header.length + 1,
        path: wholeFile,
        reason: "The row has more cells than the header"
      })
    } else if (list === null) {
      faults.push({
        line,
        column: header.indexOf("entrada") + 1,
        path: wholeFile,
        reason: "The column entrada must be categoria, servicio or paquete"
      })
    } else {
      const fields = header.flatMap((column, index) => {
        const cell = cells[index] ?? ""
        return column === "entrada" || cell === "" ? [] : [[column, valueOf(column, cell)] as const]
      })
      lists[list]?.push(Object.fromEntries(fields))
      lines[list]?.push(line)
    }
  }
  return { faults, lines, lists }
}

/** Parses a catalogue as CSV into the content of a catalogue file, or returns its faults. */
export const readCsvFile = Effect.fnUntraced(function* (text: string) {
  const rows = yield* rowsOf(text)
  if (Result.isFailure(rows)) return Result.fail([rows.failure])
  const [first = { line: 1, cells: [] }, ...others] = rows.success
  const header = first.cells.map((name) => name.trim().toLowerCase())
  const ofHeader = faultsOfHeader(header).map((fault) => ({ ...fault, line: first.line, path: wholeFile }))
  if (ofHeader.length > 0) return Result.fail(ofHeader)
  const { faults, lines, lists } = listsOf(header, others)
  if (faults.length > 0) return Result.fail(faults)
  return Result.succeed<ParsedFile>({
    content: lists,
    positionOf: ([list = "", index = 0, field]) => ({
      line: lines[list]?.[Number(index)] ?? first.line,
      column: header.indexOf(String(field)) + 1 || null
    }),
    repeated: []
  })
})
