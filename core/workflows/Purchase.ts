import { DateTime, Effect, Option } from "effect"
import { InvalidOption } from "../domain/Errors.ts"
import { fingerprintOf, xidOf } from "../domain/Idempotency.ts"
import type { IdempotencyKey, Identifier, ServiceId, TerminalId } from "../domain/Ids.ts"
import { readInsuranceOption, sellable } from "../domain/Insurance.ts"
import type { Amount } from "../domain/Money.ts"
import { price } from "../domain/Price.ts"
import type { Intent } from "../domain/Sale.ts"
import { type Service, takesOption } from "../domain/Service.ts"
import type { Session } from "../domain/Session.ts"
import { Insurances } from "../ports/Insurances.ts"
import { Ledger } from "../ports/Ledger.ts"
import { Options } from "../ports/Options.ts"
import { withSpan } from "../telemetry/Spans.ts"
import { serviceOf } from "./Queries.ts"
import { replaySale, sell } from "./Sell.ts"
import { supplierOf } from "./Supplier.ts"

/** A request for a sale. Contract: 4.5. */
export interface Purchase {
  readonly key: IdempotencyKey
  readonly serviceId: ServiceId
  readonly identifier: Identifier
  readonly amount: Amount | null
  readonly optionId: string | null
  readonly terminalId: TerminalId | null
}

const endpoint = "POST /v1/recargas"

/** Ten changed quotes in a row mean that SQL and TypeScript disagree on what a quote is. Retrying cannot help. */
const readings_max = 10

/**
 * Turns a request into a sale. A retry gets the stored response even if the service has left the catalogue, because the
 * key is checked before an error is returned. Contract: 4.5.
 */
export const purchase = withSpan(
  "Purchase.purchase",
  Effect.fnUntraced(function* (session: Session, wanted: Purchase) {
    const { key, ...body } = wanted
    const fingerprint = yield* fingerprintOf(endpoint, body)
    // If the quote changed during the sale, the insurance is read again and the sale uses the new quote.
    const asQuoted = Effect.catchTag(buyAsQuoted(session, wanted, fingerprint), "QuoteChanged", () =>
      Effect.succeed(null)
    )
    for (let reading = 1; reading <= readings_max; reading++) {
      const answered = yield* asQuoted
      if (answered !== null) return answered
    }
    return yield* Effect.die(new Error(`the quote of ${wanted.optionId} changed at every reading`))
  })
)

const buyAsQuoted = Effect.fnUntraced(function* ({ company }: Session, wanted: Purchase, fingerprint: string) {
  const { key } = wanted
  const priced = yield* Effect.result(priceOffer(company, wanted))
  if (priced._tag === "Failure") {
    const outcome = yield* Ledger.use((ledger) => ledger.recall(company.id, key, fingerprint))
    return yield* outcome === null ? priced.failure : replaySale(company.id, outcome)
  }
  const { bought, service, supplier } = priced.success
  const intent: Intent = {
    companyId: company.id,
    environment: company.environment,
    key,
    fingerprint,
    xid: yield* xidOf(company.id, key),
    service: { id: service.id, name: service.name, type: service.type },
    identifier: wanted.identifier,
    ...bought,
    optionId: wanted.optionId,
    billId: service.flow === "facturas" ? wanted.optionId : null,
    product: service.product,
    reversible: service.reversible
  }
  return yield* sell(intent, supplier)
})

/** The item that is bought: amount, insurance, terminal, and the provider's reference if there is one. */
type PurchasedItem = Pick<Intent, "amount" | "insuranceId" | "reference" | "terminalId">

const priceOffer = Effect.fnUntraced(function* (company: Session["company"], wanted: Purchase) {
  const service = yield* serviceOf(company, wanted.serviceId)
  const bought = yield* service.flow === "seguros" && wanted.optionId !== null
    ? quoteOf(company, wanted, wanted.optionId)
    : optionOf(company, service, wanted)
  const supplier = yield* supplierOf(company.environment, service.type)
  // The option is an example or comes from another provider. The current provider could only refuse it, so nothing is
  // reserved.
  if (bought.reference !== null && !supplier.knows(bought.reference)) return yield* new InvalidOption()
  return { bought, service, supplier }
})

const quoteOf = Effect.fnUntraced(function* (company: Session["company"], wanted: Purchase, optionId: string) {
  const insurances = yield* Insurances
  const id = readInsuranceOption(optionId)
  const insurance = id === null ? null : Option.getOrNull(yield* insurances.find(company.id, id))
  const { reference, total } = yield* Effect.fromResult(
    sellable(insurance, { ...wanted, environment: company.environment }, yield* DateTime.now)
  )
  // A sale of a policy without a terminal gets the terminal that started the insurance.
  const terminalId = wanted.terminalId ?? insurance?.terminalId ?? null
  return { amount: total, insuranceId: id, reference, terminalId } satisfies PurchasedItem
})

const optionOf = Effect.fnUntraced(function* ({ id }: Session["company"], service: Service, wanted: Purchase) {
  const { optionId } = wanted
  const option =
    optionId === null || !takesOption(service.flow)
      ? null
      : Option.getOrNull(yield* Options.use((options) => options.find(id, optionId)))
  const amount = yield* Effect.fromResult(price(service, wanted, option, yield* DateTime.now))
  const reference = option?.reference ?? null
  return { amount, insuranceId: null, reference, terminalId: wanted.terminalId } satisfies PurchasedItem
})
