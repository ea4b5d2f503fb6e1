import { DateTime, Duration, Option, Result, Schema } from "effect"
import { isDay, readInstant, startOfDay } from "./LocalTime.ts"
import { AmountLiteral, type Centavos, readLimit } from "./Money.ts"
import { isClean } from "./Text.ts"

/** Providers with statements that can be compared with the sales. */
export const ProviderName = Schema.Literals(["dtone", "http", "simulador"])
export type ProviderName = typeof ProviderName.Type

/** The fields of a statement line that are compared with the sale. `external_id` is the provider's own id of the sale. */
export const statementFields = ["xid", "external_id", "status", "amount", "date"] as const
export type StatementField = (typeof statementFields)[number]

/** Status of a sale in a statement. PENDING also stands for PROCESSING. */
export type StatementStatus = "SUCCESS" | "FAILED" | "REVERSED" | "PENDING"

/** A line of a statement. At least one of the two ids is present. */
export interface StatementLine {
  readonly line: number
  readonly xid: string | null
  readonly externalId: string | null
  readonly status: StatementStatus
  /** Null only for a refused sale without an amount in the statement. */
  readonly amount: Centavos | null
  /** The date of the sale in the statement: an instant, or the first and the last instant of a local day. */
  readonly dated: { readonly since: DateTime.Utc; readonly until: DateTime.Utc } | null
}

/** A fault in a cell of a line. */
export interface CellFault {
  readonly field: StatementField
  readonly reason: string
}

/** How the columns of a provider's statement are named, and how its dates without an offset are read. */
interface Preset {
  readonly columns: Readonly<Record<StatementField, ReadonlyArray<string>>>
  readonly zone: "local" | "utc"
}

const ownColumns: Preset = {
  columns: {
    xid: ["xid"],
    external_id: ["external id", "auth code"],
    status: ["status", "outcome"],
    amount: ["amount"],
    date: ["date", "created at"]
  },
  zone: "local"
}

/** The form of each provider's statement. For DT One, the statement is the transactions report of DT Shop. */
export const statementPresets: Readonly<Record<ProviderName, Preset>> = {
  dtone: {
    columns: {
      xid: ["external id"],
      external_id: ["transaction id"],
      status: ["status", "transaction status"],
      amount: ["product value", "destination amount"],
      date: ["creation date"]
    },
    zone: "utc"
  },
  http: ownColumns,
  simulador: ownColumns
}

/** The name of a column without case, accents and punctuation. */
const columnName = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim()

const statusWords: Readonly<Record<StatementStatus, ReadonlyArray<string>>> = {
  SUCCESS: ["completed", "success", "successful", "delivered", "exitosa", "entregada", "completada"],
  FAILED: ["rejected", "declined", "cancelled", "canceled", "failed", "refused", "fallida", "rechazada", "cancelada"],
  REVERSED: ["reversed", "refunded", "anulada", "reversada"],
  PENDING: ["created", "confirmed", "submitted", "processing", "pending", "pendiente"]
}

const statusOfWord = new Map(
  Object.entries(statusWords).flatMap(([status, words]) =>
    words.map((word) => [word, status as StatementStatus] as const)
  )
)

/** Reads a status. DT One adds details after a hyphen, as in DECLINED-EXCEPTION. */
export const readStatementStatus = (text: string): StatementStatus | null =>
  statusOfWord.get((text.split("-", 1)[0] ?? "").trim().toLowerCase()) ?? null

const currency = /^(?:RD\$|DOP|\$)\s*|\s*(?:RD\$|DOP)$/i
const grouped = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/

/** Splits the digits of an amount at its decimal mark. Returns an error text if the amount can be read in two ways. */
const splitDecimals = (digits: string): readonly [whole: string, decimals: string] | string => {
  const mark = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","))
  if (mark === -1) return [digits, ""]
  const whole = digits.slice(0, mark)
  const decimals = digits.slice(mark + 1)
  const isRepeated = whole.includes(digits[mark] ?? "")
  if (isRepeated) return grouped.test(digits) ? [digits, ""] : "is not an amount"
  const isAmbiguous = decimals.length === 3 && /^[1-9]\d{0,2}$/.test(whole)
  return isAmbiguous ? `can be read in two ways: write ${whole}.00 or ${whole}${decimals}.00` : [whole, decimals]
}

/** Reads an amount in pesos, with a decimal point or comma and with or without separators of thousands. */
export const readStatementAmount = (text: string): Result.Result<Centavos, string> => {
  const digits = text.trim().replace(currency, "")
  if (!/^\d[\d.,]*$/.test(digits)) return Result.fail("is not an amount")
  const parts = splitDecimals(digits)
  if (typeof parts === "string") return Result.fail(parts)
  const [whole, decimals] = parts
  if (!/^\d+$/.test(whole) && !grouped.test(whole)) return Result.fail("is not an amount")
  // Some statements have more than two decimals. Zeros after the second decimal do not change the amount.
  const plain = [whole.replace(/[.,]/g, ""), decimals.replace(/(?<=^\d\d)0+$/, "")].filter((part) => part !== "")
  return Result.mapError(readLimit(AmountLiteral.TextLiteral({ text: plain.join(".") })), (fault) =>
    fault === "max_2_decimales" ? "has more than two decimals" : "is not an amount"
  )
}

const isoForm = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?$/i
const slashForm = /^(\d\d?)\/(\d\d?)\/(\d{4})(?= |$)/

const offsetOf = (written: string | undefined, zone: Preset["zone"]): string => {
  if (written === undefined) return zone === "utc" ? "Z" : "-04:00"
  return /^[a-z]/i.test(written) ? "Z" : written.replace(/(?<=\d\d):?(?=\d\d$)/, ":")
}

/** Reads an ISO 8601 date or instant, also with a blank instead of T, or the date form DD/MM/YYYY. */
export const readStatementDate = (text: string, zone: Preset["zone"]): StatementLine["dated"] => {
  const iso = text
    .trim()
    .replace(slashForm, (_, day: string, month: string, year: string) =>
      [year, month.padStart(2, "0"), day.padStart(2, "0")].join("-")
    )
  const [, day = "", time, seconds = ":00", offset] = isoForm.exec(iso) ?? []
  const [since, length] =
    time === undefined
      ? [isDay(day) ? startOfDay(day) : null, Duration.days(1)]
      : [Option.getOrNull(readInstant(`${day}T${time}${seconds}${offsetOf(offset, zone)}`)), Duration.millis(1)]
  return since && { since, until: DateTime.addDuration(since, length) }
}

const idLength_max = 100

/** Reads the cells of a line. A field without a column is undefined. */
export const readStatementLine = (
  cells: { readonly [Field in StatementField]: string | undefined },
  line: number,
  zone: Preset["zone"]
): Result.Result<StatementLine, CellFault> => {
  const fault = (field: StatementField, reason: string) => Result.fail({ field, reason })
  const xid = cells.xid?.trim() ?? ""
  const externalId = cells.external_id?.trim() ?? ""
  if (xid === "" && externalId === "") return fault(cells.xid === undefined ? "external_id" : "xid", "is empty")
  if (xid.length > idLength_max || !isClean(xid)) return fault("xid", "is not an id")
  if (externalId.length > idLength_max || !isClean(externalId)) return fault("external_id", "is not an id")
  // A statement without a status column lists only sales that the provider charges.
  const status = cells.status === undefined ? "SUCCESS" : readStatementStatus(cells.status)
  if (status === null) return fault("status", `${JSON.stringify(cells.status)} is not a known status`)
  const written = cells.amount?.trim() ?? ""
  const amount = written === "" && status === "FAILED" ? Result.succeed(null) : readStatementAmount(written)
  if (Result.isFailure(amount)) return fault("amount", `${JSON.stringify(written)} ${amount.failure}`)
  const dated = cells.date === undefined ? null : readStatementDate(cells.date, zone)
  if (cells.date !== undefined && dated === null) return fault("date", `${JSON.stringify(cells.date)} is not a date`)
  return Result.succeed({
    line,
    xid: xid === "" ? null : xid,
    externalId: externalId === "" ? null : externalId,
    status,
    amount: amount.success,
    dated
  })
}

type Columns = Readonly<Record<StatementField, number | undefined>>

/**
 * Finds the column of each field in a header: the column that `mapping` names or, without it, a column of the preset.
 * Fails with the reasons why the header does not suffice.
 */
export const statementColumns = (
  header: ReadonlyArray<string>,
  provider: ProviderName,
  mapping: ReadonlyMap<StatementField, string>
): Result.Result<Columns, ReadonlyArray<string>> => {
  const names = header.map(columnName)
  const faults: Array<string> = []
  const indexOf = (name: string) => {
    const index = names.indexOf(columnName(name))
    if (index !== -1 && names.lastIndexOf(columnName(name)) !== index) faults.push(`The column ${name} is given twice`)
    return index
  }
  const found = statementFields.map((field) => {
    const mapped = mapping.get(field)
    if (mapped !== undefined && indexOf(mapped) === -1) faults.push(`There is no column ${mapped}`)
    const candidates = mapped === undefined ? statementPresets[provider].columns[field] : [mapped]
    const index = candidates.map(indexOf).find((each) => each !== -1)
    return [field, index] as const
  })
  const columns = Object.fromEntries(found) as Columns
  const expected = (field: StatementField) => statementPresets[provider].columns[field].join(" or ")
  if (columns.xid === undefined && columns.external_id === undefined && faults.length === 0) {
    faults.push(`There is no column with ids (${expected("xid")} or ${expected("external_id")}): name it with --mapa`)
  }
  if (columns.amount === undefined && faults.length === 0) {
    faults.push(`There is no column with amounts (${expected("amount")}): name it with --mapa`)
  }
  return faults.length === 0 ? Result.succeed(columns) : Result.fail([...new Set(faults)])
}
