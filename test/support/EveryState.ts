import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { type Order, Verdict } from "../../core/domain/Sale.ts"
import { intentOf, replica } from "./Sales.ts"

const delivered = Verdict.Confirm({ delivery: { authCode: "SBX1", rechargeToken: null } })

/** Each sale of a company: its key, its centavos, and what became of it; null for one that is still in flight. */
const sales: ReadonlyArray<readonly [key: string, centavos: number, verdict: Verdict | null]> = [
  ["delivered", 100, delivered],
  ["reversed", 200, delivered],
  ["refused", 300, Verdict.Release({ refusal: "TRANSACTION_REJECTED" })],
  ["unknown", 400, Verdict.Hold()],
  ["in-flight", 200, null]
]

/** Gives a company money, and sales in every state of section 3.1 of the contract. */
export const sellInEveryState = Effect.fnUntraced(function* (company: number) {
  const ledger = yield* replica
  const at = yield* DateTime.now
  yield* ledger.deposit({
    companyId: CompanyId.make(company),
    amount: Amount.make(10_000),
    reference: "opening",
    at
  })
  for (const [key, centavos, verdict] of sales) {
    const reserved = yield* ledger.reserve(intentOf(company, key, centavos))
    if (reserved._tag !== "Reservation") return yield* Effect.die(reserved)
    if (verdict !== null) yield* ledger.settle({ order: reserved.order, verdict, at, notFound: 0 })
    if (key === "reversed") yield* reverse(reserved.order)
  }
}, Effect.scoped)

// In the tables' own words: a reversal gives back the charge, and the day on which the sale was made.
const reverse = Effect.fnUntraced(function* ({ companyId, transactionId }: Order) {
  const sql = yield* PgClient.PgClient
  const [sale] = yield* sql<{ amount: bigint; day: string; owned: bigint }>`
    update cell.transaction as t
    set status = 'REVERSED'
    from cell.balance as b
    where t.company_id = ${companyId} and t.id = ${transactionId} and b.company_id = t.company_id
    returning t.amount, t.day, b.owned`
  if (sale === undefined) return
  yield* sql`update cell.balance set available = available + ${sale.amount} where company_id = ${companyId}`
  yield* sql`
    update cell.consumption set total = total - ${sale.amount} where company_id = ${companyId} and day = ${sale.day}`
  yield* sql`
    insert into cell.entry (company_id, id, type, amount, balance, transaction_id, created_at)
    select ${companyId}, nextval('cell.entry_id'), 'reversal', ${sale.amount}, ${sale.owned + sale.amount}, id, created_at
    from cell.transaction
    where company_id = ${companyId} and id = ${transactionId}`
})
