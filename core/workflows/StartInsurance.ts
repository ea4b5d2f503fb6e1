import { DateTime, Effect } from "effect"
import type { Session } from "../domain/Access.ts"
import { Forbidden, InvalidProduct } from "../domain/Errors.ts"
import type { ServiceId, TerminalId } from "../domain/Ids.ts"
import type { Cedula, Phone, Plate } from "../domain/Person.ts"
import type { Service } from "../domain/Service.ts"
import { Catalogue } from "../ports/Catalogue.ts"
import { Insurances, type NewInsurance } from "../ports/Insurances.ts"
import { Insurers } from "../ports/Insurer.ts"
import { SmsGateways } from "../ports/SmsGateway.ts"
import { askInsurer } from "./AskInsurer.ts"
import { newCode, sendCode } from "./SendCode.ts"

/** What a company needs to sell insurance at all. Contract: 4.6. */
export const mayInsure = ({ company }: Session) =>
  company.insuranceEnabled ? Effect.void : Effect.fail(new Forbidden({ why: "insurance" }))

/** The insurance that a company may sell, and whether there is anybody now who would issue it. */
export interface InsuranceOnSale {
  readonly services: ReadonlyArray<Service>
  readonly served: boolean
}

/** What a company may sell; no services when it is not enabled for any. Contract: 4.6, step 0. */
export const insuranceOnSale = Effect.fn("StartInsurance.insuranceOnSale")(function* ({ company }: Session) {
  const services = yield* Catalogue.use((catalogue) => catalogue.services(company))
  const served = yield* Effect.isSuccess(
    Effect.all([
      Insurers.use((insurers) => insurers.serving(company.environment)),
      SmsGateways.use((gateways) => gateways.serving(company.environment))
    ])
  )
  return { services: services.filter(({ flow }) => flow === "seguros"), served } satisfies InsuranceOnSale
})

/** Who wants what insured. Contract: 4.6, step 1. */
export interface Application {
  readonly serviceId: ServiceId
  readonly cedula: Cedula
  readonly phone: Phone
  readonly plate: Plate
  readonly terminalId: TerminalId | null
}

/**
 * Looks the vehicle up at the insurer, begins an insurance, and sends its owner a code. A code that could not be sent
 * is tried again in the background. Contract: 4.6, step 1.
 */
export const startInsurance = Effect.fn("StartInsurance.startInsurance")(function* (
  session: Session,
  { cedula, phone, plate, serviceId, terminalId }: Application
) {
  yield* mayInsure(session)
  const { environment, id: companyId } = session.company
  const sought = yield* Catalogue.use((catalogue) => catalogue.find(session.company, serviceId))
  if (sought._tag !== "Available" || sought.service.flow !== "seguros") return yield* new InvalidProduct()
  // Without somebody who sends codes there is no point in asking anybody.
  yield* SmsGateways.use((gateways) => gateways.serving(environment))
  const { product } = sought.service
  const found = yield* askInsurer(environment, "inspect", (insurer) =>
    insurer.inspect({ cedula, phone, plate, product })
  )
  const { holder, reference, renewal, vehicle, versions } = found
  const beginning: NewInsurance = {
    companyId,
    serviceId,
    environment,
    plate,
    insured: { cedula, phone, holder, vehicle },
    terminalId,
    renewal,
    reference,
    versions,
    createdAt: yield* DateTime.now
  }
  const insurances = yield* Insurances
  const id = yield* insurances.nextId
  const code = yield* newCode(id, beginning)
  const insurance = yield* insurances.create(id, beginning, code)
  return { insurance, codeSent: yield* sendCode(id, insurance, code) }
})
