import { DateTime, Duration, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { CompanyId } from "../../core/domain/Ids.ts"
import { quoteLife } from "../../core/domain/Insurance.ts"
import { Amount } from "../../core/domain/Money.ts"
import { codeLife } from "../../core/domain/OneTimeCode.ts"
import type { CodeToSend, Insurances, NewInsurance } from "../../core/ports/Insurances.ts"
import { insurance as example, plan, tow, version } from "./InsuranceExample.ts"

/** Takes insurances through the steps before their sale, directly through the port. */

type InsurancesPort = Insurances["Service"]

/** Lease of a message for the process that enqueued it. */
export const messageLease = Duration.minutes(1)

/** A new insurance of a company, created now. */
export const newInsurance = (company: number, changes: Partial<NewInsurance> = {}): Effect.Effect<NewInsurance> =>
  Effect.map(DateTime.now, (createdAt) => {
    const { environment, insured, plate, reference, renewal, serviceId, terminalId, versions } = example
    const given = { environment, insured, plate, reference, renewal, serviceId, terminalId, versions }
    return { companyId: CompanyId.make(company), ...given, createdAt, ...changes }
  })

const messageId = SecureRandom.SecureRandom.use((random) => random.uuidV7()).pipe(
  Effect.provide(SecureRandom.layerWebCrypto)
)

/** A code and the message that carries it. The hash matches no code. */
export const codeToSend = Effect.fnUntraced(function* (text = "123456 es su código") {
  const at = yield* DateTime.now
  const expiresAt = DateTime.addDuration(at, codeLife)
  const message = { id: yield* messageId, to: example.insured.phone, text }
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
  return yield* insurances.create(yield* insurances.nextId, yield* newInsurance(company, changes), yield* codeToSend())
})

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

/** The event that stores a quote, valid from now on. */
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
