import { Context, Effect, Layer } from "effect"
import * as VaultMemory from "../../adapters/memory/VaultMemory.ts"
import * as InsurancesPostgres from "../../adapters/postgres/InsurancesPostgres.ts"
import * as OutboxPostgres from "../../adapters/postgres/OutboxPostgres.ts"
import { Identifier } from "../../core/domain/Ids.ts"
import { type Insurance, insuranceOption } from "../../core/domain/Insurance.ts"
import type { Intent } from "../../core/domain/Sale.ts"
import { Insurances } from "../../core/ports/Insurances.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import { insurance as example } from "./InsuranceExample.ts"
import { intentOf } from "./Sales.ts"

/** Insurances as another replica of the server has them. */
export const insurancesReplica = Layer.build(
  Layer.fresh(InsurancesPostgres.layer.pipe(Layer.provide(VaultMemory.layer)))
).pipe(Effect.map((context) => Context.get(context, Insurances)))

/** The outbox as another replica of the server has it. */
export const outboxReplica = Layer.build(Layer.fresh(OutboxPostgres.layer.pipe(Layer.provide(VaultMemory.layer)))).pipe(
  Effect.map((context) => Context.get(context, Outbox))
)

/** The sale that buys the quote of an insurance. */
export const insuranceIntent = ({ companyId, id, plate, quote }: Insurance, key: string): Intent => ({
  ...intentOf(companyId, key, quote?.total ?? 1),
  service: { id: example.serviceId, name: "Seguro de ley", type: "insurance" },
  identifier: Identifier.make(plate),
  optionId: insuranceOption(id),
  insuranceId: id,
  reference: quote?.reference ?? null
})
