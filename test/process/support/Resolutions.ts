import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect } from "effect"
import { CompanyId, Identifier } from "../../../core/domain/Ids.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import type { ServiceType } from "../../../core/domain/Service.ts"
import { by, CommandLine } from "../../support/CommandLine.ts"
import { intentOf, opened, replica, reservedOrder, unanswered } from "../../support/SalesOnPostgres.ts"

/** Makes the company's unsettled sales and reversals 20 minutes older. */
export const makeOlder = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  for (const table of ["cell.transaction", "cell.reversal"]) {
    yield* sql`
      update ${sql.literal(table)}
      set created_at = created_at - interval '20 minutes'
      where company_id = ${company} and processed_at is null`
  }
})

/** Creates a company with 100 pesos. */
export const companyOf = Effect.fnUntraced(function* (code: string) {
  const { answer } = yield* CommandLine
  const names = ["--razon-social", code, "--codigo", code]
  const { empresa_id } = yield* answer("company", "create", ...names, "--ambiente", "development")
  const company = CompanyId.make(empresa_id)
  const ledger = yield* replica
  yield* opened(ledger, company, 10_000)
  return { company, ledger }
})

// The simulator never knows the outcome of a sale to this identifier.
const silent = "8095550112"

/**
 * A company with one sale of one peso that has been pending for 20 minutes. The identifier decides what the simulator
 * answers.
 */
export const unresolvedSale = Effect.fnUntraced(function* (
  code: string,
  identifier: string | null = null,
  type: ServiceType = "mobile_recharge"
) {
  const { company, ledger } = yield* companyOf(code)
  const sale = intentOf(company, "sale", 100)
  // The simulator derives its codes from the hexadecimal digits of the xid, so the xid has the format of Xid.ts.
  const xid = `RD-${company.toString(16).padStart(24, "0")}`
  const intent = {
    ...sale,
    xid,
    identifier: Identifier.make(identifier ?? silent),
    service: { ...sale.service, type }
  }
  const order = yield* reservedOrder(ledger, intent)
  yield* ledger.settle({ order, verdict: Verdict.Hold(), at: yield* DateTime.now, notFound: 0 })
  yield* makeOlder(company)
  return { company, id: String(order.transactionId), order }
}, Effect.scoped)

/**
 * A company with a sale of one peso and a reversal without an answer for 20 minutes. With an identifier, the simulator
 * answers. Without an identifier, the sale is in production, where no provider is configured.
 */
export const unresolvedReversal = Effect.fnUntraced(function* (code: string, identifier: string | null = null) {
  const { company, ledger } = yield* companyOf(code)
  const sale = intentOf(company, "sale", 100)
  const intent =
    identifier === null
      ? { ...sale, environment: "production" as const }
      : { ...sale, identifier: Identifier.make(identifier) }
  const order = yield* unanswered(ledger, intent, "reversal")
  yield* makeOlder(company)
  return { company, id: String(order.transactionId), order }
}, Effect.scoped)

/** The company's centavos: available, held and consumed, and the number of its reversal entries. */
export const moneyOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ money: ReadonlyArray<number> }>`
    select array[
      available,
      held,
      (select coalesce(sum(total), 0) from cell.consumption where company_id = ${company}),
      (select count(*) from cell.entry where company_id = ${company} and type = 'reversal')
    ]::int[] as money
    from cell.balance
    where company_id = ${company}`
  return row?.money
})

export const charged = [9_900, 0, 100, 0]
export const givenBack = [10_000, 0, 0, 1]
const held = [9_900, 100, 100, 0]
const released = [10_000, 0, 0, 0]

export const reversed = ["--as", "reversed", "--motivo", "Credited in the statement"]
export const stands = ["--as", "stands", "--motivo", "Not credited in the statement"]
export const failed = ["--as", "failed", "--motivo", "Not in the statement"]
export const success = ["--as", "success", "--motivo", "In the statement", "--autorizacion", "OP-77"]
export const first = [by("turno-1")]
export const second = [by("turno-2")]
/** The second operator confirms although the provider could not be asked. */
export const secondUnasked = [...second, "--sin-preguntar"]
export const proposalFlag = (proposal: number) => ["--propuesta", `${proposal}`]

/** Both operations that operators resolve, each with its proposals and their results. */
export const unresolvedOperations = [
  {
    operation: "a sale",
    code: "SALE",
    named: (id: string) => new RegExp(`^Transaction ${id} |transaction ${id}\\b`),
    unresolved: unresolvedSale,
    table: "cell.transaction",
    before: held,
    // The simulator answers that it does not know the outcome.
    second,
    done: { proposal: success, ends: { resultado: "success", status: "SUCCESS" }, money: charged },
    refused: { proposal: failed, ends: { resultado: "failed", status: "FAILED" }, money: released },
    // Identifier -> the simulator's answer.
    said: { done: ["8095550123", "Delivered"], refused: ["8095550102", "Refused"] },
    settledReason: "settled",
    young: "young"
  },
  {
    operation: "a reversal",
    code: "REVERSAL",
    named: (id: string) => new RegExp(`reversal of transaction ${id}\\b`),
    unresolved: unresolvedReversal,
    table: "cell.reversal",
    before: charged,
    second: secondUnasked,
    done: {
      proposal: reversed,
      ends: { resultado: "reversed", status: "REVERSED", anulacion: "CONFIRMED" },
      money: givenBack
    },
    refused: {
      proposal: stands,
      ends: { resultado: "stands", status: "SUCCESS", anulacion: "DENIED" },
      money: charged
    },
    said: { done: ["8095550194", "Confirmed"], refused: ["8095550193", "Denied"] },
    settledReason: "no_reversal",
    young: "young_reversal"
  }
] as const
