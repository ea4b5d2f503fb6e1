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

/** Fails when insurance is not enabled for the company. Contract: 4.6. */
export const mayInsure = ({ company }: Session) =>
  company.insuranceEnabled ? Effect.void : Effect.fail(new Forbidden({ why: "insurance" }))

/** The insurance services of a company, and whether an insurer is available now. */
export interface InsuranceOnSale {
  readonly services: ReadonlyArray<Service>
  readonly served: boolean
}

/** The insurance services that a company may sell. Empty when insurance is not enabled. Contract: 4.6, step 0. */
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

/** An application for insurance. Contract: 4.6, step 1. */
export interface Application {
  readonly serviceId: ServiceId
  readonly cedula: Cedula
  readonly phone: Phone
  readonly plate: Plate
  readonly terminalId: TerminalId | null
}

/**
 * Inspects the vehicle at the insurer, creates an insurance, and sends its owner a code. A code that could not be sent
 * is retried in the background. Contract: 4.6, step 1.
 */
export const startInsurance = Effect.fn("StartInsurance.startInsurance")(function* (
  session: Session,
  { cedula, phone, plate, serviceId, terminalId }: Application
) {
  yield* mayInsure(session)
  const { environment, id: companyId } = session.company
  const sought = yield* Catalogue.use((catalogue) => catalogue.find(session.company, serviceId))
  if (sought._tag !== "Available" || sought.service.flow !== "seguros") return yield* new InvalidProduct()
  // Checked first: without a gateway for the code, asking the insurer is pointless.
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
