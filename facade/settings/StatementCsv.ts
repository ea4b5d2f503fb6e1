import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { pipeline, Readable } from "node:stream"
import { Effect, Result, Schema, Stream } from "effect"
import {
  type ProviderName,
  readStatementLine,
  type StatementField,
  type StatementLine,
  statementColumns,
  statementPresets
} from "../../core/domain/ProviderStatement.ts"
import { ReportProgress } from "../../core/ports/Progress.ts"

/** The file is not a valid statement. Names the first faults. */
export class BadStatement extends Schema.TaggedError<BadStatement>()("BadStatement", {
  faults: Schema.Array(
    Schema.Struct({ line: Schema.Int, column: Schema.NullOr(Schema.String), reason: Schema.String })
  ),
  /** Whether the file may have more faults. */
  more: Schema.Boolean
}) {}

type Fault = BadStatement["faults"][number]

/** A statement on disk, or in memory. */
type Source = { readonly path: string } | { readonly text: string }

/** Which statement to read, and how. */
interface StatementFile {
  readonly source: Source
  readonly provider: ProviderName
  /** Names of columns that replace those of the provider's export. */
  readonly mapping: ReadonlyMap<StatementField, string>
}

/** Maximum number of faults in an error. Reading stops at this number. */
const faults_max = 20

/** Maximum number of lines in a batch. */
const batch_max = 1_000

/**
 * Maximum length of a line in characters. Without this limit, after an opening quote without a closing one, the rest of
 * the file would be read into memory.
 */
const lineLength_max = 65_536

const delimiters = [",", ";", "\t"]

/** The delimiter that occurs most often in the first line. Spreadsheets of some countries write semicolons. */
const delimiterIn = (text: string): string => {
  const [header = ""] = text.replace(/"[^"]*"/g, "").split(/[\r\n]/, 1)
  const count = (mark: string) => header.split(mark).length
  return delimiters.reduce((best, mark) => (count(mark) > count(best) ? mark : best))
}

/** Reads the beginning of a file, and its size in bytes. */
const beginningOf = async (path: string): Promise<{ readonly text: string; readonly size: number }> => {
  const file = await open(path)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(8_192), 0, 8_192, 0)
    const bytes = buffer.subarray(0, bytesRead)
    const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
    return { text: bytes.toString(isUtf16 ? "utf16le" : "utf8"), size: (await file.stat()).size }
  } finally {
    await file.close()
  }
}

/** Maximum number of characters that are parsed in one step. */
const slice_max = 65_536

function* slicesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += slice_max) yield text.slice(start, start + slice_max)
}

/** An opened statement. Its content can be read only once. */
interface Opened {
  readonly beginning: string
  readonly size: number
  readonly input: Readable
  /** How much of `size` has been read. */
  readonly progress: () => number
}

const opened = async (source: Source): Promise<Opened> => {
  if ("text" in source) {
    const { text } = source
    return {
      beginning: text.slice(0, 8_192),
      size: text.length,
      input: Readable.from(slicesOf(text)),
      progress: () => 0
    }
  }
  const { size, text } = await beginningOf(source.path)
  const input = createReadStream(source.path)
  return { beginning: text, size, input, progress: () => input.bytesRead }
}

/** A row of the file, as the parser returns it. */
interface ParsedRow {
  readonly info: { readonly lines: number }
  readonly record: ReadonlyArray<string>
}

type RowReader = (row: ParsedRow) => StatementLine | Fault

/** Makes a reader for the rows after a header, or returns the faults of the header. */
const rowReader = (
  { mapping, provider }: StatementFile,
  { info, record: header }: ParsedRow
): Result.Result<RowReader, ReadonlyArray<Fault>> => {
  const found = statementColumns(header, provider, mapping)
  if (Result.isFailure(found)) {
    return Result.fail(found.failure.map((reason) => ({ line: info.lines, column: null, reason })))
  }
  const columns = found.success
  const { zone } = statementPresets[provider]
  return Result.succeed(({ info: { lines: line }, record }) => {
    if (record.length !== header.length) {
      const reason = `The line has ${record.length} cells, but the header has ${header.length}`
      return { line, column: null, reason }
    }
    const cellOf = (field: StatementField) => {
      const index = columns[field]
      return index === undefined ? undefined : record[index]
    }
    const cells = {
      xid: cellOf("xid"),
      external_id: cellOf("external_id"),
      status: cellOf("status"),
      amount: cellOf("amount"),
      date: cellOf("date")
    }
    const read = readStatementLine(cells, line, zone)
    if (Result.isSuccess(read)) return read.success
    const { field, reason } = read.failure
    return { line, column: header[columns[field] ?? -1]?.trim() ?? field, reason }
  })
}

interface Batch {
  readonly lines: ReadonlyArray<StatementLine>
  readonly bytes: number
  readonly size: number
}

/** Reads the lines of a file in batches. Throws the first faults of the file. */
async function* batchesOf(file: StatementFile): AsyncGenerator<Batch> {
  const { CsvError, parse } = await import("csv-parse")
  const { beginning, input, progress, size } = await opened(file.source)
  const parser = parse({
    bom: true,
    delimiter: delimiterIn(beginning),
    info: true,
    max_record_size: lineLength_max,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true
  })
  // A failure of the input ends the parser with the same error, which the loop below receives.
  pipeline(input, parser, () => undefined)
  let read: RowReader | null = null
  const faults: Array<Fault> = []
  let lines: Array<StatementLine> = []
  try {
    for await (const row of parser as AsyncIterable<ParsedRow>) {
      if (read === null) {
        const reader = rowReader(file, row)
        if (Result.isFailure(reader)) throw new BadStatement({ faults: reader.failure, more: false })
        read = reader.success
        continue
      }
      const result = read(row)
      if ("reason" in result) faults.push(result)
      else if (faults.length === 0) lines.push(result)
      if (faults.length === faults_max) break
      if (lines.length === batch_max) {
        yield { lines, bytes: progress(), size }
        lines = []
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    faults.push({ line: Number(error["lines"] ?? 1), column: null, reason: `Not CSV: ${error.message}` })
  }
  if (faults.length > 0) throw new BadStatement({ faults, more: faults.length === faults_max })
  yield { lines, bytes: size, size }
}

/**
 * The lines of a provider's statement as CSV, in batches. The delimiter is a comma, a semicolon or a tab. Fails with the
 * first faults of the file. Reports the progress.
 */
export const readStatement = (file: StatementFile): Stream.Stream<ReadonlyArray<StatementLine>, BadStatement> =>
  Stream.fromAsyncIterable(batchesOf(file), (error) => error).pipe(
    Stream.catch((error) => (error instanceof BadStatement ? Stream.fail(error) : Stream.die(error))),
    Stream.mapEffect(({ bytes, lines, size }) =>
      Effect.as(
        Effect.flatMap(ReportProgress, (report) => report(bytes, size)),
        lines
      )
    )
  )
