import { DateTime, Effect, Option } from "effect"
import { timingSafeEqual as sameDigest } from "effect/crypto/Mac"
import { Forbidden, InvalidProduct, NotFound } from "../domain/Errors.ts"
import type { InsuranceId, ServiceId, TerminalId } from "../domain/Ids.ts"
import { type Insurance, policyFacts, quoteLife } from "../domain/Insurance.ts"
import { CodeWrong, ExtrasUnavailable, PlanUnknown, VersionUnknown } from "../domain/InsuranceErrors.ts"
import { type ExtraCode, extrasFor, type PlanList, type Quote } from "../domain/InsuranceOffer.ts"
import { afterEvent } from "../domain/InsuranceState.ts"
import { codeMaterial, isLive } from "../domain/OneTimeCode.ts"
import type { Cedula, Phone, Plate } from "../domain/Person.ts"
import type { Service } from "../domain/Service.ts"
import type { Session } from "../domain/Session.ts"
import { Catalogue } from "../ports/Catalogue.ts"
import { Insurances, type NewInsurance } from "../ports/Insurances.ts"
import { Insurers } from "../ports/Insurer.ts"
import { SmsGateways } from "../ports/SmsGateway.ts"
import { Vault } from "../ports/Vault.ts"
import { askInsurer } from "./ExternalCalls.ts"
import { serviceOf } from "./Queries.ts"
import { newCode, sendCode } from "./SendSms.ts"

/** Fails with Forbidden if insurance is not enabled for the company. Contract: 4.6. */
const mayInsure = ({ company }: Session) =>
  company.insuranceEnabled ? Effect.void : Effect.fail(new Forbidden({ why: "insurance" }))

/** The insurance services of a company, and whether an insurer and an SMS gateway are available now (`served`). */
export interface InsuranceOnSale {
  readonly services: ReadonlyArray<Service>
  readonly served: boolean
}

/** The insurance services that a company may sell. Empty when insurance is not enabled. Contract: 4.6, step 0. */
export const insuranceOnSale = Effect.fn("InsuranceSteps.insuranceOnSale")(function* ({ company }: Session) {
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
 * Asks the insurer about the vehicle, creates an insurance, and sends a code to the owner's phone. A message that could
 * not be sent is retried in the background. Contract: 4.6, step 1.
 */
export const startInsurance = Effect.fn("InsuranceSteps.startInsurance")(function* (
  session: Session,
  { cedula, phone, plate, serviceId, terminalId }: Application
) {
  yield* mayInsure(session)
  const { environment, id: companyId } = session.company
  const { flow, product } = yield* Effect.mapError(serviceOf(session.company, serviceId), () => new InvalidProduct())
  if (flow !== "seguros") return yield* new InvalidProduct()
  // Checks for an SMS gateway first, because without a gateway the code cannot be sent and the insurance
  // cannot continue.
  yield* SmsGateways.use((gateways) => gateways.serving(environment))
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
  const id = yield* insurances.nextId(companyId)
  const code = yield* newCode(id, beginning)
  const insurance = yield* insurances.create(id, beginning, code)
  return { insurance, codeSent: yield* sendCode(id, insurance, code) }
})

/** Reads an insurance of the company. Contract: 4.6, step 7. */
export const insuranceOf = Effect.fn("InsuranceSteps.insuranceOf")(function* (session: Session, id: InsuranceId) {
  yield* mayInsure(session)
  const insurances = yield* Insurances
  const found = yield* insurances.find(session.company.id, id)
  return Option.isNone(found) ? yield* new NotFound() : found.value
})

/** Sends a new code to the owner's phone. The previous code becomes invalid. Contract: 4.6, step 1b. */
export const resendCode = Effect.fn("InsuranceSteps.resendCode")(function* (session: Session, id: InsuranceId) {
  const insurance = yield* insuranceOf(session, id)
  const insurances = yield* Insurances
  const code = yield* newCode(id, insurance)
  yield* insurances.resend(insurance.companyId, id, code)
  return yield* sendCode(id, insurance, code)
})

const encoder = new TextEncoder()

/** Checks a one-time code. The attempt is counted before the comparison. Contract: 4.6, step 2. */
export const verifyCode = Effect.fn("InsuranceSteps.verifyCode")(function* (
  session: Session,
  id: InsuranceId,
  code: string
) {
  const { companyId } = yield* insuranceOf(session, id)
  const insurances = yield* Insurances
  const vault = yield* Vault
  const { attemptsLeft, code: sent } = yield* insurances.attempt(companyId, id)
  const hash = yield* vault.mac(codeMaterial(id, code))
  const right = sameDigest(encoder.encode(hash), encoder.encode(sent.hash))
  if (!right || !isLive(sent, yield* DateTime.now)) return yield* new CodeWrong({ attemptsLeft })
  return yield* insurances.advance(companyId, id, { event: "code_verified" })
})

const versionOf = ({ versions }: Insurance, versionId: string) => {
  const version = versions.find(({ id }) => id === versionId)
  return version === undefined ? Effect.fail(new VersionUnknown()) : Effect.succeed(version)
}

const plansFor = ({ environment, plate, reference }: Insurance, version: string) =>
  askInsurer(environment, "plans", (insurer) => insurer.plans({ reference, plate, version }))

/** The insurer's plans for a version of the vehicle. Contract: 4.6, step 3. */
export const plansOf = Effect.fn("InsuranceSteps.plansOf")(function* (
  session: Session,
  id: InsuranceId,
  versionId: string
) {
  const insurance = yield* insuranceOf(session, id)
  yield* Effect.fromResult(afterEvent(insurance.state, "plans_read"))
  const version = yield* versionOf(insurance, versionId)
  return (yield* plansFor(insurance, version.id)) satisfies PlanList
})

/** Chooses version and plan. Voids an earlier quote. Contract: 4.6, step 4. */
export const choosePlan = Effect.fn("InsuranceSteps.choosePlan")(function* (
  session: Session,
  id: InsuranceId,
  wanted: { readonly version: string; readonly plan: string }
) {
  const insurance = yield* insuranceOf(session, id)
  yield* Effect.fromResult(afterEvent(insurance.state, "plan_chosen"))
  const version = yield* versionOf(insurance, wanted.version)
  const { extras: offered, plans } = yield* plansFor(insurance, version.id)
  const plan = plans.find(({ code }) => code === wanted.plan)
  if (plan === undefined) return yield* new PlanUnknown()
  const insurances = yield* Insurances
  const extras = extrasFor(insurance.insured.vehicle.type, offered)
  return yield* insurances.advance(insurance.companyId, id, { event: "plan_chosen", version, plan, extras })
})

/** Requests a quote, valid for 30 minutes. Replaces an earlier quote. Contract: 4.6, step 5. */
export const quoteInsurance = Effect.fn("InsuranceSteps.quoteInsurance")(function* (
  session: Session,
  id: InsuranceId,
  wanted: ReadonlyArray<ExtraCode>
) {
  const insurance = yield* insuranceOf(session, id)
  const { companyId, environment, offeredExtras, plan, plate, reference, state, version } = insurance
  yield* Effect.fromResult(afterEvent(state, "quoted"))
  if (plan === null || version === null) return yield* Effect.die(new Error(`insurance ${id} has no plan in ${state}`))
  const missing = wanted.filter((code) => !offeredExtras.some((extra) => extra.code === code))
  if (missing.length > 0) return yield* new ExtrasUnavailable({ extras: missing })
  // The insurer's time limit may begin when the question is sent.
  const asked = yield* DateTime.now
  const quoted = yield* askInsurer(environment, "quote", (insurer) =>
    insurer.quote({ reference, plate, version: version.id, plan: plan.code, extras: wanted })
  )
  const quote: Quote = {
    ...quoted,
    extras: offeredExtras.filter(({ code }) => wanted.includes(code)),
    expiresAt: DateTime.addDuration(asked, quoteLife)
  }
  const insurances = yield* Insurances
  return yield* insurances.advance(companyId, id, { event: "quoted", version: version.id, plan: plan.code, quote })
})

/** Data for the documents of an issued policy. Contract: 4.6, step 8. */
export const policyOf = Effect.fn("InsuranceSteps.policyOf")(function* (session: Session, id: InsuranceId) {
  return yield* Effect.fromResult(policyFacts(yield* insuranceOf(session, id)))
})
