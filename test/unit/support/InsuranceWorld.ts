import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { DateTime, Effect, Layer } from "effect"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import { simulatedInsurer } from "../../../adapters/insurer/SimulatedInsurer.ts"
import { IdempotencyKey, Identifier, TerminalId } from "../../../core/domain/Ids.ts"
import { type Insurance, type IssuedPolicy, insuranceOption } from "../../../core/domain/Insurance.ts"
import { Cedula, Phone, Plate } from "../../../core/domain/Person.ts"
import { availabilityTo, mayBeSoldBy } from "../../../core/domain/Service.ts"
import type { Session } from "../../../core/domain/Session.ts"
import { DeliveryAnswer, SmsAnswer, type SmsMessage } from "../../../core/domain/Sms.ts"
import { Catalogue } from "../../../core/ports/Catalogue.ts"
import { Insurances } from "../../../core/ports/Insurances.ts"
import { type Insurer, Insurers } from "../../../core/ports/Insurer.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { Outbox } from "../../../core/ports/Outbox.ts"
import { type SmsGateway, SmsGateways } from "../../../core/ports/SmsGateway.ts"
import {
  type Application,
  choosePlan,
  insuranceOf,
  quoteInsurance,
  startInsurance,
  verifyCode
} from "../../../core/workflows/InsuranceSteps.ts"
import { type Purchase, purchase } from "../../../core/workflows/Purchase.ts"
import { newCode } from "../../../core/workflows/SendSms.ts"
import { insuranceService, intent, packages, service, session } from "../../support/Examples.ts"
import { type Fault, sales, world } from "../../support/InMemoryWorld.ts"
import { insurance } from "../../support/InsuranceExample.ts"

/** A token of a company that may sell insurance. */
export const seller: Session = { ...session, company: { ...session.company, insuranceEnabled: true } }

const stock = new Map([service, insuranceService].map((each) => [each.id, each]))

/**
 * Changes to the behaviour of the insurer, the SMS gateway and the ledger. An external service without changes behaves
 * like its simulator.
 */
interface Says {
  readonly insurer?: Partial<Insurer>
  readonly gateway?: Partial<SmsGateway>
  readonly ledger?: Fault
}

/**
 * Services in memory for the sale of insurance. They record the calls to the insurer, and each message to the gateway
 * with its time in seconds.
 */
export const insuring = ({ gateway, insurer, ledger }: Says = {}) => {
  const asked: Array<string> = []
  const sent: Array<SmsMessage & { readonly at_s: number }> = []
  const recorded =
    <Q, A, E>(question: string, ask: (about: Q) => Effect.Effect<A, E>) =>
    (about: Q) =>
      Effect.suspend(() => {
        asked.push(question)
        return ask(about)
      })
  const behaviour: Insurer = { ...simulatedInsurer, ...insurer }
  const insurers = Layer.succeed(Insurers, {
    serving: () =>
      Effect.succeed({
        inspect: recorded("inspect", behaviour.inspect),
        plans: recorded("plans", behaviour.plans),
        quote: recorded("quote", behaviour.quote),
        issue: recorded("issue", behaviour.issue),
        status: recorded("status", behaviour.status)
      })
  })
  const gateways = Layer.succeed(SmsGateways, {
    serving: () =>
      Effect.succeed({
        idempotent: gateway?.idempotent ?? true,
        send: (message) =>
          Effect.flatMap(DateTime.now, (now) => {
            sent.push({ ...message, at_s: DateTime.toEpochMillis(now) / 1000 })
            return gateway?.send?.(message) ?? Effect.succeed(SmsAnswer.Sent({ reference: message.id }))
          }),
        delivery: (sms) => gateway?.delivery?.(sms) ?? Effect.succeed(DeliveryAnswer.Open())
      })
  })
  const catalogue = Layer.succeed(Catalogue, {
    services: (company) => Effect.succeed([...stock.values()].filter((each) => mayBeSoldBy(company, each))),
    find: (company, serviceId) => Effect.succeed(availabilityTo(company, stock.get(serviceId))),
    packages: () => Effect.succeed(packages)
  })
  const { audited, dispatched, layer } = world({}, ledger)
  return {
    asked,
    audited,
    dispatched,
    layer: Layer.mergeAll(layer, insurers, gateways, catalogue, Sha256Node.layer, NodeCrypto.layerSecureRandom),
    sent
  }
}

/** How often a policy was requested. */
export const issued = (asked: ReadonlyArray<string>) => asked.filter((question) => question === "issue").length

export const code = "123456"
export const phone = Phone.make("8095551234")

/** An application for insurance. The default plate is A123458. */
export const application = (plate = "A123458"): Application => ({
  serviceId: insuranceService.id,
  cedula: Cedula.make("00112345678"),
  phone,
  plate: Plate.make(plate),
  terminalId: TerminalId.make("caja-1")
})

export const begin = (plate?: string) =>
  Effect.map(startInsurance(seller, application(plate)), ({ insurance }) => insurance)

/** Starts an insurance and verifies its code. */
export const verified = Effect.fnUntraced(function* (plate?: string) {
  const { id } = yield* begin(plate)
  return yield* verifyCode(seller, id, code)
})

/** A version id for tests in which the choice of the version does not matter. */
export const firstVersion = ({ versions }: Insurance) => versions[0]?.id ?? ""

/** Chooses a plan. The default is the plan of six months. */
export const choose = (insurance: Insurance, plan = "LEY-6") =>
  choosePlan(seller, insurance.id, { version: firstVersion(insurance), plan })

/** Starts an insurance and chooses the plan of one year. */
export const planned = Effect.fnUntraced(function* (plate?: string) {
  return yield* choose(yield* verified(plate), "LEY-12")
})

/** Price of the one-year plan for a car, in centavos. */
export const price = 595_050

/** The money of a company with 10,000 pesos: untouched, with the price held, and with the price charged. */
export const whole = { available: 1_000_000, held: 0, consumed: 0 }
export const held = { available: 1_000_000 - price, held: price, consumed: price }
export const charged = { available: 1_000_000 - price, held: 0, consumed: price }

/** Statuses of the company's sales, oldest first. */
export const statuses = Effect.map(sales, (all) => all.map(([, status]) => status))

/** The policy that the insurer issues. */
export const policy: IssuedPolicy = { number: "POL-1", validity: { from: "2026-03-04", until: "2027-03-03" } }

/** Starts an insurance and quotes it without extras. */
export const quoted = Effect.fnUntraced(function* (plate?: string) {
  const { id } = yield* planned(plate)
  return yield* quoteInsurance(seller, id, [])
})

/** The request that buys an insurance. */
export const wanted = ({ id, plate, serviceId }: Insurance, key = "k1"): Purchase => ({
  key: IdempotencyKey.make(key),
  serviceId,
  identifier: Identifier.make(plate),
  amount: null,
  optionId: insuranceOption(id),
  terminalId: null
})

export const buy = (insurance: Insurance, key?: string) => purchase(seller, wanted(insurance, key))

/** Reserves the sale of an insurance and stops before it requests the policy, as if the process died. */
export const reserved = Effect.fnUntraced(function* ({ id, plate, quote }: Insurance) {
  if (quote === null) return yield* Effect.die(new Error("there is no quote to sell"))
  const { id: serviceId, name, product, type } = insuranceService
  const ledger = yield* Ledger
  const answer = yield* ledger.reserve({
    ...intent({ amount: quote.total }),
    service: { id: serviceId, name, type },
    identifier: Identifier.make(plate),
    optionId: insuranceOption(id),
    insuranceId: id,
    product,
    reference: quote.reference
  })
  return answer._tag === "Reservation" ? answer.order : yield* Effect.die(new Error("the key was used before"))
})

/** Reads the insurance. */
export const now = ({ id }: Pick<Insurance, "id">) => insuranceOf(seller, id)

/** Reads the state of the insurance. */
export const stateOf = (insurance: Pick<Insurance, "id">) => Effect.map(now(insurance), ({ state }) => state)

/** Status and reason of each undelivered message, as the operator sees them. */
export const undelivered = Effect.map(
  Outbox.use((outbox) => outbox.undelivered(10)),
  (all) => all.map(({ reason, status }) => [status, reason] as const)
)

/** Stages a message and stops before sending it, as if the process died. */
export const unsentMessage = Effect.gen(function* () {
  const insurances = yield* Insurances
  const id = yield* insurances.nextId(insurance.companyId)
  const beginning = { ...insurance, createdAt: yield* DateTime.now }
  return yield* insurances.create(id, beginning, yield* newCode(id, beginning))
})
