import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect } from "effect"
import { Verdict } from "../../../core/domain/Sale.ts"
import { CommandLine } from "../../support/CommandLine.ts"
import { intentOf, opened, replica, reservedOrder } from "../../support/SalesOnPostgres.ts"
import { fileOf } from "./CatalogueFiles.ts"

/** A sale: its key, its amount in centavos, and its status. */
type SoldSale = readonly [key: string, centavos: number, status: "SUCCESS" | "FAILED" | "PENDING" | "PROCESSING"]

const verdictOf = (key: string, status: SoldSale[2]) => {
  switch (status) {
    case "SUCCESS":
      return Verdict.Confirm({ delivery: { authCode: `AUTH-${key}`, rechargeToken: null } })
    case "FAILED":
      return Verdict.Release({ refusal: "TRANSACTION_REJECTED" })
    case "PENDING":
      return Verdict.Hold()
    case "PROCESSING":
      return null
  }
}

/** Makes sales of a new company in development at noon of a day. Returns the id of the company. */
export const soldOn = Effect.fnUntraced(function* (day: string, ...sales: ReadonlyArray<SoldSale>) {
  const { answer } = yield* CommandLine
  const sql = yield* PgClient.PgClient
  const named = ["--razon-social", day, "--codigo", crypto.randomUUID(), "--ambiente", "development"]
  const { empresa_id: company } = yield* answer("company", "create", ...named)
  const ledger = yield* replica
  yield* opened(ledger, company, 1_000_000)
  for (const [key, centavos, status] of sales) {
    const order = yield* reservedOrder(ledger, intentOf(company, key, centavos))
    const verdict = verdictOf(key, status)
    if (verdict !== null) yield* ledger.settle({ order, verdict, at: yield* DateTime.now, notFound: 0 })
  }
  const noon = `${day}T12:00:00-04:00`
  yield* sql`update cell.transaction set created_at = ${noon}::timestamptz where company_id = ${company}`
  yield* sql`
    update cell.block set earliest = ${noon}::timestamptz, latest = ${noon}::timestamptz where company_id = ${company}`
  return company as number
}, Effect.scoped)

/** Writes a statement to a temporary file. Returns its path. */
export const statementFile = (content: string | Uint8Array) => fileOf(crypto.randomUUID(), content, "csv")

/** The command that compares a statement of the simulator with the sales. */
export const compared = (file: string, ...more: ReadonlyArray<string>) =>
  ["reconcile", "--extracto", file, "--proveedor", "simulador", ...more] as const

/** Compares a statement of the simulator. Returns the exit code and the printed document. */
export const comparison = Effect.fnUntraced(function* (content: string | Uint8Array, ...more: ReadonlyArray<string>) {
  const { run } = yield* CommandLine
  const { code, stderr, stdout } = yield* run(...compared(yield* statementFile(content), ...more), "--json")
  if (stdout === "") return yield* Effect.die(new Error(stderr))
  return { code, ...JSON.parse(stdout) }
}, Effect.scoped)
