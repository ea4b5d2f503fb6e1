import { assert } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Stream } from "effect"
import { expiryOf } from "../../core/domain/FundingProposal.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { ReversalVerdict } from "../../core/domain/Reversal.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { Deliveries } from "../../core/ports/Deliveries.ts"
import { FundingProposals } from "../../core/ports/FundingProposals.ts"
import { Questions, Replays } from "../../core/ports/Histories.ts"
import { Insurances } from "../../core/ports/Insurances.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Reversals } from "../../core/ports/Reversals.ts"
import { Webhooks } from "../../core/ports/Webhooks.ts"
import { webhookOf } from "../support/DeliveriesOnPostgres.ts"
import { begunInsurance } from "../support/InsuranceExample.ts"
import { begunOn, intentOf, opened, reservedOrder, reversalOf } from "../support/SalesOnPostgres.ts"

export const delivered = Verdict.Confirm({ delivery: { authCode: "AUTH-77", rechargeToken: null } })
const refused = Verdict.Release({ refusal: "TRANSACTION_REJECTED" })

/** Sells five times at the same time: three sales are delivered, one is refused, and one stays pending. */
const sellFive = Effect.fnUntraced(function* (company: number) {
  const ledger = yield* Ledger
  const verdicts = [delivered, delivered, delivered, refused, Verdict.Hold()]
  return yield* Effect.forEach(
    verdicts,
    Effect.fnUntraced(function* (verdict, index) {
      const intent = { ...intentOf(company, `k${index}`, 1_000), reversible: true }
      const order = yield* reservedOrder(ledger, intent)
      yield* ledger.settle({ order, verdict, at: yield* DateTime.now, notFound: 0 })
      return order
    }),
    { concurrency: "unbounded" }
  )
})

/**
 * Adds a webhook to a company and makes its first deposit. Waits until the server receives the notification of the event.
 *
 * @param nodes number of database nodes that notify of deliveries. The first notification from each node only says that
 * listening has begun.
 */
export const depositWithEvent = Effect.fnUntraced(function* (company: number, nodes: number) {
  const deliveries = yield* Deliveries
  yield* webhookOf({ deliveries, webhooks: yield* Webhooks }, company)
  const listening = yield* Deferred.make<void>()
  const told = yield* deliveries.arrivals.pipe(
    Stream.zipWithIndex,
    Stream.tap(([, index]) => (index === nodes - 1 ? Deferred.succeed(listening, undefined) : Effect.void)),
    Stream.take(nodes + 1),
    Stream.runDrain,
    Effect.forkChild
  )
  yield* Deferred.await(listening)
  yield* opened(yield* Ledger, company, 1_000)
  yield* Fiber.join(told)
})

/** Corrects the balance by 500 centavos, as two operators do. */
const correct = Effect.fnUntraced(function* (company: number) {
  const proposals = yield* FundingProposals
  const at = yield* DateTime.now
  const made = yield* proposals.propose({
    companyId: CompanyId.make(company),
    kind: "adjustment",
    amount: 500,
    reference: `c-${company}`,
    isRepeated: false,
    reason: "wrong transfer",
    proposedBy: "ana",
    proposedAt: at,
    expiresAt: expiryOf(at)
  })
  const [proposal] = yield* proposals.list(CompanyId.make(company), 1)
  if (made._tag !== "Proposed" || proposal === undefined) return assert.fail(made._tag)
  assert.deepStrictEqual(yield* Effect.flatMap(proposals.find(made.number), Effect.fromOption), proposal)
  const confirmed = yield* proposals.confirm(proposal, { by: "luis", at })
  assert.strictEqual(confirmed._tag, "Recorded")
})

/**
 * Everything that a company does, through the ports of a server: deposits, sales, a reversal, an insurance, a webhook, a
 * correction. Returns the orders of the sales. The first is reversed, the fourth is refused, and the last stays pending.
 */
export const trade = Effect.fnUntraced(function* (company: number) {
  const companyId = CompanyId.make(company)
  yield* opened(yield* Ledger, company, 100_000)
  yield* webhookOf({ deliveries: yield* Deliveries, webhooks: yield* Webhooks }, company)
  const orders = yield* sellFive(company)
  const [sold, ...others] = orders
  const pending = others.at(-1)
  if (sold === undefined || pending === undefined) return assert.fail("no sale was reserved")
  const reversals = yield* Reversals
  const unresolved = yield* begunOn(reversals, reversalOf(sold, "r1"))
  yield* reversals.settle({ unresolved, verdict: ReversalVerdict.Confirm(), at: yield* DateTime.now, notFound: 0 })
  const at = yield* DateTime.now
  yield* (yield* Questions).record({ order: pending, about: "sale", answer: "Unknown", at })
  yield* (yield* Replays).record({ companyId, transactionId: sold.transactionId, about: "sale", at })
  const { id } = yield* begunInsurance(yield* Insurances, company)
  assert.strictEqual(id % 256, company % 3)
  yield* correct(company)
  return orders
})
