import { Effect } from "effect"
import { IdempotencyKey, Identifier, ServiceId } from "../../../core/domain/Ids.ts"
import { insuranceOption } from "../../../core/domain/Insurance.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { Cedula, Phone, Plate } from "../../../core/domain/Person.ts"
import {
  choosePlan,
  plansOf,
  quoteInsurance,
  resendCode,
  startInsurance,
  verifyCode
} from "../../../core/workflows/InsuranceSteps.ts"
import { lookUp } from "../../../core/workflows/LookUp.ts"
import { purchase } from "../../../core/workflows/Purchase.ts"
import { listTransactions } from "../../../core/workflows/Queries.ts"
import { reverse } from "../../../core/workflows/Reverse.ts"
import { Activity } from "../engine/Faults.ts"
import type { Inbox } from "../external/Gateway.ts"
import { insuranceExample } from "../external/Suppliers.ts"
import type { Invariants } from "../invariants/Invariants.ts"
import { serviceIds, sessionOf } from "../process/CompaniesAndCatalogue.ts"
import type { Operation } from "./Operation.ts"

/** Shared by all callers of a run: the invariants that check their responses, and the SMS on the phones. */
export interface ClientContext {
  readonly invariants: Invariants
  readonly inbox: Inbox
}

type OperationOf<Do extends Operation["do"]> = Operation & { readonly do: Do }

/** A purchase as a caller requests it. */
interface WantedSale {
  readonly company: number
  readonly service: number
  readonly identifier: string
  readonly centavos: number | null
  readonly optionId: string | null
  readonly key: string
}

/** Makes a purchase, and reports the response to the invariants. */
const buy = Effect.fnUntraced(function* ({ invariants }: ClientContext, wanted: WantedSale) {
  const { centavos, company, identifier, key, optionId, service } = wanted
  const { outcome, replayed } = yield* purchase(sessionOf(company), {
    key: IdempotencyKey.make(key),
    serviceId: ServiceId.make(service),
    identifier: Identifier.make(identifier),
    amount: centavos === null ? null : Amount.make(centavos),
    optionId,
    terminalId: null
  })
  invariants.answers.heard({ companyId: company, key, identifier, centavos, outcome, replayed })
  return outcome
})

export const sell = (callers: ClientContext, op: OperationOf<"sell">) => buy(callers, { ...op, optionId: null })

export const lookUpAndBuy = Effect.fnUntraced(function* (callers: ClientContext, op: OperationOf<"buy">) {
  const { company, identifier, service } = op
  const { options } = yield* lookUp(sessionOf(company), {
    serviceId: ServiceId.make(service),
    identifier: Identifier.make(identifier)
  })
  const wanted = { ...op, centavos: null, optionId: options[0]?.id ?? null }
  return yield* Effect.provideService(buy(callers, wanted), Activity, "sale")
})

/** Requests the reversal of the sale with the given key, if there is one. */
export const reverseSale = Effect.fnUntraced(function* ({ company, key, saleKey }: OperationOf<"reverse">) {
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

/** The code in the text of an SMS; a wrong code if no SMS arrived. */
const codeIn = (text: string | undefined): string => /\d{6}/.exec(text ?? "")?.[0] ?? "000000"

const retries_max = 3

/** Retries a step up to three times, because an insurer may be unreachable for a moment. */
const withRetries = <A, E, R>(step: Effect.Effect<A, E, R>) => Effect.retry(step, { times: retries_max })

/** Makes all requests from the plate to the policy, as a seller does. Ends at the first step that fails. */
export const insure = Effect.fnUntraced(function* (callers: ClientContext, op: Operation & { readonly do: "insure" }) {
  const { company, keys, plate, quotes, resends, wrongCodes } = op
  const session = sessionOf(company)
  const phone = Phone.make(`809${String(op.id).padStart(7, "0")}`)
  const { insurance } = yield* withRetries(
    startInsurance(session, {
      serviceId: ServiceId.make(serviceIds.insurance),
      cedula: Cedula.make("00112345678"),
      phone,
      plate: Plate.make(plate),
      terminalId: null
    })
  )
  const { id } = insurance
  for (let code = 0; code <= resends; code++) {
    if (code > 0) yield* Effect.ignore(resendCode(session, id))
    for (let time = 0; time < wrongCodes; time++) yield* Effect.ignore(verifyCode(session, id, "999999"))
  }
  yield* verifyCode(session, id, codeIn(callers.inbox.get(phone)))
  yield* withRetries(plansOf(session, id, insuranceExample.version))
  yield* withRetries(choosePlan(session, id, { version: insuranceExample.version, plan: insuranceExample.plan }))
  for (let time = 0; time < quotes; time++)
    yield* withRetries(quoteInsurance(session, id, time % 2 === 0 ? [] : [insuranceExample.extra]))
  const sale = {
    company,
    service: serviceIds.insurance,
    identifier: plate,
    centavos: null,
    optionId: insuranceOption(id)
  }
  return yield* Effect.forEach(keys, (key) => Effect.exit(buy(callers, { ...sale, key })), {
    concurrency: "unbounded"
  }).pipe(Effect.provideService(Activity, "sale"))
})
