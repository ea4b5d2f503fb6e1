import { IdempotencyKey, Identifier } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import type { Purchase } from "../../../core/workflows/Purchase.ts"
import { service } from "./Examples.ts"

/** What somebody asks to buy: a hundred pesos of a top-up. */
export const wanted: Purchase = {
  key: IdempotencyKey.make("k1"),
  serviceId: service.id,
  identifier: Identifier.make("8095551234"),
  amount: Amount.make(10_000),
  optionId: null,
  terminalId: null
}
