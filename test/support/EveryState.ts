import { DateTime, Effect } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { ReversalVerdict } from "../../core/domain/Reversal.ts"
import { type Order, Verdict } from "../../core/domain/Sale.ts"
import { intentOf, replica, reversalOf, reversalsReplica } from "./Sales.ts"

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
    const reserved = yield* ledger.reserve({ ...intentOf(company, key, centavos), reversible: true })
    if (reserved._tag !== "Reservation") return yield* Effect.die(reserved)
    if (verdict !== null) yield* ledger.settle({ order: reserved.order, verdict, at, notFound: 0 })
    if (key === "reversed") yield* reverse(reserved.order)
  }
}, Effect.scoped)

const reverse = Effect.fnUntraced(function* (order: Order) {
  const reversals = yield* reversalsReplica
  const begun = yield* reversals.begin(reversalOf(order, "reversal"))
  if (begun._tag !== "Begun") return yield* Effect.die(begun)
  const at = yield* DateTime.now
  yield* reversals.settle({ under: begun.under, verdict: ReversalVerdict.Confirm(), at, notFound: 0 })
})
