import { DateTime, Duration, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { CompanyId, InsuranceId, ServiceId } from "../../core/domain/Ids.ts"
import { type Insurance, quoteLife } from "../../core/domain/Insurance.ts"
import type { Extra, Plan, Version } from "../../core/domain/InsuranceOffer.ts"
import { Amount } from "../../core/domain/Money.ts"
import { codeLife } from "../../core/domain/OneTimeCode.ts"
import { Cedula, Phone, Plate } from "../../core/domain/Person.ts"
import type { CodeToSend, Insurances, NewInsurance } from "../../core/ports/Insurances.ts"

/** The insurance service of the example catalogue. */
export const insuranceServiceId = ServiceId.make(6)

export const tow: Extra = { code: "grua", name: "Grúa", price: Amount.make(85_000) }
export const home: Extra = { code: "casa_conductor", name: "Casa del conductor", price: Amount.make(60_000) }

export const plan: Plan = {
  code: "LEY-12",
  name: "Ley, un año",
  coverage: "Daños a terceros",
  months: 12,
  price: Amount.make(595_050),
  suggested: true
}

export const version: Version = { id: "LE 1.8", name: "Corolla LE 1.8", suggested: true }

/** Expiry of the quote of the example insurance. */
export const quoteEnds = DateTime.makeUnsafe("2026-03-04T12:30:00.000Z")

/** An insurance of company 7 that can be sold. Its quote includes a tow. */
export const insurance: Insurance = {
  id: InsuranceId.make(31),
  companyId: CompanyId.make(7),
  serviceId: insuranceServiceId,
  environment: "development",
  state: "cotizado",
  plate: Plate.make("A123458"),
  insured: {
    cedula: Cedula.make("00112345678"),
    phone: Phone.make("8095551234"),
    holder: "Titular de Prueba",
    vehicle: { brand: "Toyota", model: "Corolla", year: 2019, type: "automovil", chassis: "9SBXA000000123458" }
  },
  terminalId: null,
  renewal: false,
  reference: "CASO-1",
  versions: [version],
  version,
  plan,
  offeredExtras: [tow, home],
  quote: { reference: "COT-1", total: Amount.make(680_050), extras: [tow], expiresAt: quoteEnds },
  transactionId: null,
  policy: null,
  createdAt: DateTime.makeUnsafe("2026-03-04T11:50:00.000Z")
}

// The steps of an insurance before its sale. They call the port directly, without the workflows.

type InsurancesPort = Insurances["Service"]

/** Lease of a message: how long only the process that has enqueued or claimed the message may send it. */
export const messageLease = Duration.minutes(1)

/** A new insurance of a company, created now. */
export const newInsurance = (company: number, changes: Partial<NewInsurance> = {}): Effect.Effect<NewInsurance> =>
  Effect.map(DateTime.now, (createdAt) => {
    const { environment, insured, plate, reference, renewal, serviceId, terminalId, versions } = insurance
    const given = { environment, insured, plate, reference, renewal, serviceId, terminalId, versions }
    return { companyId: CompanyId.make(company), ...given, createdAt, ...changes }
  })

const messageId = SecureRandom.SecureRandom.use((random) => random.uuidV7()).pipe(
  Effect.provide(SecureRandom.layerWebCrypto)
)

/** A verification code and the message that contains it. The hash matches no code. */
export const codeToSend = Effect.fnUntraced(function* (
  text = "123456 es su código",
  to: Phone = insurance.insured.phone
) {
  const at = yield* DateTime.now
  const expiresAt = DateTime.addDuration(at, codeLife)
  const message = { id: yield* messageId, to, text }
  return {
    code: { hash: `hash of ${message.id}`, expiresAt },
    sms: { message, expiresAt, leasedUntil: DateTime.addDuration(at, messageLease), at }
  } satisfies CodeToSend
})

/** Creates an insurance and enqueues its first message. */
export const begunInsurance = Effect.fnUntraced(function* (
  insurances: InsurancesPort,
  company: number,
  changes: Partial<NewInsurance> = {}
) {
  const fresh = yield* newInsurance(company, changes)
  const code = yield* codeToSend(undefined, fresh.insured.phone)
  return yield* insurances.create(yield* insurances.nextId(fresh.companyId), fresh, code)
}, Effect.orDie)

/** Creates an insurance with a verified code and a plan. */
export const plannedInsurance = Effect.fnUntraced(function* (
  insurances: InsurancesPort,
  company: number,
  changes: Partial<NewInsurance> = {}
) {
  const { companyId, id } = yield* begunInsurance(insurances, company, changes)
  yield* insurances.advance(companyId, id, { event: "code_verified" })
  return yield* insurances.advance(companyId, id, { event: "plan_chosen", version, plan, extras: [tow] })
}, Effect.orDie)

/** An event that stores a quote, valid from the present time. */
export const quotedEvent = (centavos: number, reference = "COT-1") =>
  Effect.map(
    DateTime.now,
    (now) =>
      ({
        event: "quoted",
        version: version.id,
        plan: plan.code,
        quote: {
          reference,
          total: Amount.make(centavos),
          extras: [tow],
          expiresAt: DateTime.addDuration(now, quoteLife)
        }
      }) as const
  )

/** Creates an insurance with a quote of this amount. */
export const quotedInsurance = Effect.fnUntraced(function* (
  insurances: InsurancesPort,
  company: number,
  centavos: number,
  changes: Partial<NewInsurance> = {}
) {
  const { companyId, id } = yield* plannedInsurance(insurances, company, changes)
  return yield* insurances.advance(companyId, id, yield* quotedEvent(centavos))
}, Effect.orDie)
