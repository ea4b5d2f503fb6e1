import { Effect } from "effect"
import { IdempotencyKey, Identifier, ServiceId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { consult } from "../../core/workflows/Consult.ts"
import { listTransactions } from "../../core/workflows/Lists.ts"
import { purchase } from "../../core/workflows/Purchase.ts"
import { reverse } from "../../core/workflows/Reverse.ts"
import { Activity } from "../faults/Step.ts"
import type { Laws } from "../laws/Laws.ts"
import type { Inbox } from "../parties/Gateway.ts"
import { sessionOf } from "../process/Directory.ts"
import type { Op } from "./Op.ts"

/** What the callers of a run share: the invariants that check their responses, and the SMS on the phones. */
export interface Callers {
  readonly laws: Laws
  readonly inbox: Inbox
}

type OpOf<Do extends Op["do"]> = Op & { readonly do: Do }

/** A purchase as a caller requests it. */
interface Wanted {
  readonly company: number
  readonly service: number
  readonly identifier: string
  readonly centavos: number | null
  readonly optionId: string | null
  readonly key: string
}

/** Buys, and reports the response to the invariants. */
export const buy = Effect.fnUntraced(function* ({ laws }: Callers, wanted: Wanted) {
  const { centavos, company, identifier, key, optionId, service } = wanted
  const { outcome, replayed } = yield* purchase(sessionOf(company), {
    key: IdempotencyKey.make(key),
    serviceId: ServiceId.make(service),
    identifier: Identifier.make(identifier),
    amount: centavos === null ? null : Amount.make(centavos),
    optionId,
    terminalId: null
  })
  laws.answers.heard({ companyId: company, key, identifier, centavos, outcome, replayed })
  return outcome
})

export const sell = (callers: Callers, op: OpOf<"sell">) => buy(callers, { ...op, optionId: null })

export const lookUpAndBuy = Effect.fnUntraced(function* (callers: Callers, op: OpOf<"buy">) {
  const { company, identifier, service } = op
  const { options } = yield* consult(sessionOf(company), {
    serviceId: ServiceId.make(service),
    identifier: Identifier.make(identifier)
  })
  const wanted = { ...op, centavos: null, optionId: options[0]?.id ?? null }
  return yield* Effect.provideService(buy(callers, wanted), Activity, "sale")
})

/** Requests the reversal of the sale with the given key, if there is one. */
export const takeBack = Effect.fnUntraced(function* ({ company, key, saleKey }: OpOf<"reverse">) {
  const session = sessionOf(company)
  const { items } = yield* listTransactions(
    session.company.id,
    { key: IdempotencyKey.make(saleKey) },
    { page: 1, perPage: 1 }
  )
  const [sale] = items
  if (sale === undefined) return null
  return (yield* reverse(session, sale.id, IdempotencyKey.make(key))).outcome
})
