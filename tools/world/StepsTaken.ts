import { DateTime, Duration, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { CompanyId } from "../../core/domain/Ids.ts"
import { quoteLife } from "../../core/domain/Insurance.ts"
import { Amount } from "../../core/domain/Money.ts"
import { codeLife } from "../../core/domain/OneTimeCode.ts"
import type { CodeToSend, Insurances, NewInsurance } from "../../core/ports/Insurances.ts"
import { insurance as example, plan, tow, version } from "./Insured.ts"

/** Takes insurances through the steps before their sale, past the procedures that clients take them by. */

type Replica = Insurances["Service"]

/** How long whoever stages a message has it for. */
export const lease = Duration.minutes(1)

/** An insurance that a company may begin now. */
export const beginning = (company: number, changes: Partial<NewInsurance> = {}): Effect.Effect<NewInsurance> =>
  Effect.map(DateTime.now, (createdAt) => {
    const { environment, insured, plate, reference, renewal, serviceId, terminalId, versions } = example
    const given = { environment, insured, plate, reference, renewal, serviceId, terminalId, versions }
    return { companyId: CompanyId.make(company), ...given, createdAt, ...changes }
  })

const messageId = SecureRandom.SecureRandom.use((random) => random.uuidV7()).pipe(
  Effect.provide(SecureRandom.layerWebCrypto)
)

/** A code that goes out now; its hash is that of nothing. */
export const codeToSend = Effect.fnUntraced(function* (text = "123456 es su código") {
  const at = yield* DateTime.now
  const expiresAt = DateTime.addDuration(at, codeLife)
  const message = { id: yield* messageId, to: example.insured.phone, text }
  return {
    code: { hash: `hash of ${message.id}`, expiresAt },
    sms: { message, expiresAt, leasedUntil: DateTime.addDuration(at, lease), at }
  } satisfies CodeToSend
})

/** Begun, with its first message staged. */
export const begun = Effect.fnUntraced(function* (
  insurances: Replica,
  company: number,
  changes: Partial<NewInsurance> = {}
) {
  return yield* insurances.create(yield* insurances.nextId, yield* beginning(company, changes), yield* codeToSend())
})

/** With the code verified and a plan. */
export const planned = Effect.fnUntraced(function* (
  insurances: Replica,
  company: number,
  changes: Partial<NewInsurance> = {}
) {
  const { companyId, id } = yield* begun(insurances, company, changes)
  yield* insurances.advance(companyId, id, { event: "code_verified" })
  return yield* insurances.advance(companyId, id, { event: "plan_chosen", version, plan, extras: [tow] })
}, Effect.orDie)

/** A price that holds from now on. */
export const priced = (centavos: number, reference = "COT-1") =>
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

/** Quoted at so many centavos. */
export const quoted = Effect.fnUntraced(function* (
  insurances: Replica,
  company: number,
  centavos: number,
  changes: Partial<NewInsurance> = {}
) {
  const { companyId, id } = yield* planned(insurances, company, changes)
  return yield* insurances.advance(companyId, id, yield* priced(centavos))
}, Effect.orDie)
