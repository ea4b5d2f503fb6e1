import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Sha256Node from "../../adapters/node/Sha256Node.ts"
import { CompanyId, Identifier, ServiceId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { offered } from "../../core/domain/Offered.ts"

const customer = {
  companyId: CompanyId.make(1),
  serviceId: ServiceId.make(3),
  identifier: Identifier.make("8095551234")
}
const offer = { reference: "P1", name: "Mes 20 GB", price: Amount.make(10_000), validity: null, data: null }

describe("an option", () => {
  it.effect(
    "is the same for the same offer, and another one for an example of that name, which has its own price",
    () =>
      Effect.gen(function* () {
        const { id } = yield* offered("paquetes", customer, offer, false)
        const again = yield* offered("paquetes", customer, { ...offer, price: Amount.make(12_000) }, false)
        const example = yield* offered("paquetes", customer, offer, true)
        assert.strictEqual(again.id, id)
        assert.notStrictEqual(example.id, id)
      }).pipe(Effect.provide(Sha256Node.layer))
  )
})
