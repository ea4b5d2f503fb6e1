import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as LedgerPostgres from "../../adapters/postgres/LedgerPostgres.ts"
import { CompanyId, IdempotencyKey, Identifier, ServiceId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import type { Intent } from "../../core/domain/Sale.ts"
import { Ledger } from "../../core/ports/Ledger.ts"

/** A sale of `centavos` that a test may reserve; its xid is made of company and key. */
export const intentOf = (company: number, key: string, centavos: number): Intent => ({
  companyId: CompanyId.make(company),
  environment: "development",
  key: IdempotencyKey.make(key),
  fingerprint: "00",
  xid: `RD-${company}-${key}`,
  service: { id: ServiceId.make(1), name: "Recarga", type: "mobile_recharge" },
  identifier: Identifier.make("8095550123"),
  amount: Amount.make(centavos),
  terminalId: null,
  optionId: null,
  billId: null,
  reversible: false
})

/** A ledger with its own grouping, as another replica of the server has: its calls meet the others in Postgres only. */
export const replica = Effect.map(
  Layer.build(Layer.fresh(LedgerPostgres.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto)))),
  (context) => Effect.runSync(Effect.provide(Ledger, context))
)
