import { DateTime, Effect, Option } from "effect"
import type { Session } from "../domain/Access.ts"
import { InvalidProduct } from "../domain/Errors.ts"
import { fingerprintOf } from "../domain/Fingerprint.ts"
import type { IdempotencyKey, Identifier, ServiceId, TerminalId } from "../domain/Ids.ts"
import type { Amount } from "../domain/Money.ts"
import type { Intent } from "../domain/Sale.ts"
import { price, type Service, takesOption } from "../domain/Service.ts"
import { xidOf } from "../domain/Xid.ts"
import { Catalogue } from "../ports/Catalogue.ts"
import { Ledger } from "../ports/Ledger.ts"
import { Options } from "../ports/Options.ts"
import { Providers } from "../ports/Provider.ts"
import { type Answered, sell } from "./Sell.ts"

/** What a caller asks to buy. Contract: 4.5. */
export interface Purchase {
  readonly key: IdempotencyKey
  readonly serviceId: ServiceId
  readonly identifier: Identifier
  readonly amount: Amount | null
  readonly optionId: string | null
  readonly terminalId: TerminalId | null
}

const endpoint = "POST /v1/recargas"

/**
 * Turns what a caller asks for into a sale. The key speaks before the service does: a replay is answered even when the
 * service has since left the catalogue. Contract: 4.5.
 */
export const purchase = Effect.fn("Purchase.purchase")(function* ({ company }: Session, wanted: Purchase) {
  const { key, ...body } = wanted
  const fingerprint = yield* fingerprintOf(endpoint, body)
  const priced = yield* Effect.result(offer(company, wanted))
  if (priced._tag === "Failure") {
    const outcome = yield* Ledger.use((ledger) => ledger.recall(company.id, key, fingerprint))
    return outcome === null ? yield* priced.failure : ({ outcome, replayed: true } satisfies Answered)
  }
  const { amount, provider, service } = priced.success
  const intent: Intent = {
    companyId: company.id,
    environment: company.environment,
    key,
    fingerprint,
    xid: yield* xidOf(company.id, key),
    service: { id: service.id, name: service.name, type: service.type },
    identifier: wanted.identifier,
    amount,
    terminalId: wanted.terminalId,
    optionId: wanted.optionId,
    billId: service.flow === "facturas" ? wanted.optionId : null,
    reversible: service.reversible
  }
  return yield* sell(intent, provider)
})

const offer = Effect.fnUntraced(function* (company: Session["company"], wanted: Purchase) {
  const services = yield* Catalogue.use((catalogue) => catalogue.services(company))
  const service = services.find(({ id }) => id === wanted.serviceId)
  if (service === undefined) return yield* new InvalidProduct()
  const option = yield* optionOf(company, service, wanted)
  const amount = yield* Effect.fromResult(price(service, wanted, option, yield* DateTime.now))
  const provider = yield* Providers.use((providers) => providers.serving(company.environment))
  return { amount, provider, service }
})

const optionOf = ({ id }: Session["company"], { flow }: Service, { optionId }: Purchase) =>
  optionId === null || !takesOption(flow)
    ? Effect.succeed(null)
    : Effect.map(
        Options.use((options) => options.find(id, optionId)),
        Option.getOrNull
      )
