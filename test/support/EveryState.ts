import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { ReversalVerdict } from "../../core/domain/Reversal.ts"
import { type Order, Verdict } from "../../core/domain/Sale.ts"
import { TestDatabase } from "./Database.ts"
import { begunInsurance, plannedInsurance, quotedInsurance } from "./InsuranceExample.ts"
import { setBlockLength } from "./SalesHistory.ts"
import {
  begunOn,
  insuranceIntent,
  insurancesReplica,
  intentOf,
  opened,
  replica,
  reservedOrder,
  reversalOf,
  reversalsReplica
} from "./SalesOnPostgres.ts"

const delivered = Verdict.Confirm({ delivery: { authCode: "SBX1", rechargeToken: null } })

/** The sales of a company: key, centavos, and the verdict that settles the sale; null while the sale is in progress. */
const sales: ReadonlyArray<readonly [key: string, centavos: number, verdict: Verdict | null]> = [
  ["delivered", 100, delivered],
  ["reversed", 200, delivered],
  ["refused", 300, Verdict.Release({ refusal: "TRANSACTION_REJECTED" })],
  ["in-flight", 200, null],
  ["unknown", 400, Verdict.Hold()]
]

/** Gives a company money and sales in every state of section 3.1 of the contract. */
export const sellInEveryState = Effect.fnUntraced(function* (company: number) {
  const ledger = yield* replica
  yield* opened(ledger, company, 10_000)
  const at = yield* DateTime.now
  for (const [key, centavos, verdict] of sales) {
    const order = yield* reservedOrder(ledger, { ...intentOf(company, key, centavos), reversible: true })
    if (verdict !== null) yield* ledger.settle({ order, verdict, at, notFound: 0 })
    if (key === "reversed") yield* reverse(order)
  }
}, Effect.scoped)

const reverse = Effect.fnUntraced(function* (order: Order) {
  const reversals = yield* reversalsReplica
  const unresolved = yield* begunOn(reversals, reversalOf(order, "reversal"))
  yield* reversals.settle({ unresolved, verdict: ReversalVerdict.Confirm(), at: yield* DateTime.now, notFound: 0 })
})

const policy = { authCode: "POL-1", rechargeToken: null, validity: { from: "2026-03-04", until: "2027-03-03" } }

/** The insurance sales: key, and the verdict that settles the sale; null while the sale is in progress. */
const insuranceSales: ReadonlyArray<readonly [key: string, verdict: Verdict | null]> = [
  ["issued", Verdict.Confirm({ delivery: policy })],
  ["not issued", Verdict.Release({ refusal: "SEGURO_NO_EMITIDO" })],
  ["unknown", Verdict.Hold()],
  ["never asked", Verdict.Free()],
  ["in-flight", null]
]

/** Gives a company money and insurances in every state of section 3.3 of the contract. */
export const insureInEveryState = Effect.fnUntraced(function* (company: number) {
  const ledger = yield* replica
  const insurances = yield* insurancesReplica
  yield* opened(ledger, company, 10_000)
  const at = yield* DateTime.now
  yield* begunInsurance(insurances, company)
  yield* plannedInsurance(insurances, company)
  yield* quotedInsurance(insurances, company, 100)
  for (const [key, verdict] of insuranceSales) {
    const order = yield* reservedOrder(ledger, insuranceIntent(yield* quotedInsurance(insurances, company, 100), key))
    if (verdict !== null) yield* ledger.settle({ order, verdict, at, notFound: 0 })
  }
}, Effect.scoped)

export const companyOne = CompanyId.make(1)
export const companyTwo = CompanyId.make(2)

/** Two companies with rows in every table that is read for one company at a time. */
export const populated = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* setBlockLength(1)
    for (const company of [companyOne, companyTwo]) {
      yield* sellInEveryState(company)
      yield* begunInsurance(yield* insurancesReplica, company)
      yield* sql`
        insert into cell.option (company_id, id, service_id, identifier, reference, name, price, expires_at)
        values (${company}, 'o', 3, '8095550123', 'P1', 'Paquete', 100, '2030-01-01')`
    }
  })
).pipe(Layer.provideMerge(TestDatabase))
