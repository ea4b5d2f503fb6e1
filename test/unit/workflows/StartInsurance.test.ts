import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as ConfiguredServices from "../../../adapters/ConfiguredServices.ts"
import { simulatedInsurer } from "../../../adapters/insurer/SimulatedInsurer.ts"
import { ServiceId } from "../../../core/domain/Ids.ts"
import { Phone } from "../../../core/domain/Person.ts"
import type { Session } from "../../../core/domain/Session.ts"
import { SmsAnswer } from "../../../core/domain/Sms.ts"
import { Insurances } from "../../../core/ports/Insurances.ts"
import type { OwnerAndPlate } from "../../../core/ports/Insurer.ts"
import { type Application, insuranceOnSale, startInsurance } from "../../../core/workflows/InsuranceSteps.ts"
import { keepSending } from "../../../core/workflows/SendSms.ts"
import { company, insuranceService, service, session } from "../../support/Examples.ts"
import { application, begin, code, insuring, now, phone, seller, stateOf } from "../support/InsuranceWorld.ts"

const live: Session = { ...seller, company: { ...seller.company, environment: "production" } }

describe("a new insurance", () => {
  it.effect("contains the insurer's data about the plate, and sends a code to the owner", () => {
    const { layer, sent } = insuring()
    return Effect.gen(function* () {
      const { codeSent, insurance } = yield* startInsurance(seller, application())
      const { cedula, plate } = application()
      const found = yield* simulatedInsurer.inspect({ cedula, phone, plate, product: null })
      const { holder, vehicle, ...rest } = found
      assert.deepInclude(yield* now(insurance), {
        ...rest,
        companyId: company.id,
        serviceId: insuranceService.id,
        environment: "development",
        state: "otp_enviado",
        plate,
        insured: { cedula, phone, holder, vehicle },
        createdAt: yield* DateTime.now
      })
      assert.isTrue(codeSent)
      assert.deepStrictEqual(
        sent.map(({ at_s, text, to }) => [at_s, to, text.slice(0, 6)]),
        [[0, phone, code]]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("has a random code in production", () => {
    const { layer, sent } = insuring()
    return Effect.gen(function* () {
      // A phone gets at most five messages in an hour.
      for (let count = 10; count < 30; count++)
        yield* startInsurance(live, { ...application(), phone: Phone.make(`80955512${count}`) })
      const codes = sent.map(({ text }) => /^\d{6}\b/.exec(text)?.[0])
      assert.isTrue(codes.every((drawn) => drawn !== undefined))
      assert.isAbove(new Set(codes).size, 15)
      assert.strictEqual(new Set(sent.map(({ id }) => id)).size, 20)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is requested with the insurer's own id of the service", () => {
    const heard: Array<OwnerAndPlate> = []
    const { layer } = insuring({
      insurer: {
        inspect: (wanted) => {
          heard.push(wanted)
          return simulatedInsurer.inspect(wanted)
        }
      }
    })
    return Effect.gen(function* () {
      yield* begin()
      const { cedula, plate } = application()
      assert.deepStrictEqual(heard, [{ cedula, phone, plate, product: insuranceService.product }])
    }).pipe(Effect.provide(layer))
  })

  it.effect("continues when its caller disconnects while the code is being sent", () => {
    const { layer, sent } = insuring({
      gateway: { send: ({ id }) => Effect.delay(Effect.succeed(SmsAnswer.Sent({ reference: id })), "2 seconds") }
    })
    return Effect.gen(function* () {
      const caller = yield* Effect.forkChild(begin())
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(caller)
      yield* TestClock.adjust("2 seconds")
      yield* Effect.forkChild(keepSending)
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(sent.length, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("exists even if its code could not be sent, and the code is sent later", () => {
    const answers = [SmsAnswer.NotSent({ reason: "busy" })]
    const { layer, sent } = insuring({
      gateway: { send: ({ id }) => Effect.sync(() => answers.shift() ?? SmsAnswer.Sent({ reference: id })) }
    })
    return Effect.gen(function* () {
      const { codeSent, insurance } = yield* startInsurance(seller, application())
      assert.isFalse(codeSent)
      assert.strictEqual(yield* stateOf(insurance), "iniciada")
      yield* Effect.forkChild(keepSending)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* stateOf(insurance), "otp_enviado")
      assert.deepStrictEqual(
        sent.map(({ at_s }) => at_s),
        [0, 5]
      )
    }).pipe(Effect.provide(layer))
  })
})

describe("an insurance that cannot be started", () => {
  // Shows that no insurance was created: a refused request uses up no id, so id 1 is still free.
  const nothingBegan = Effect.map(
    Insurances.use((insurances) => insurances.nextId(company.id)),
    (id) => id === 1
  )

  it.effect.each([
    // company, application -> the error, and the questions to the insurer
    ["for a company that may not sell insurance", session, {}, "Forbidden", []],
    ["for a service that does not exist", seller, { serviceId: ServiceId.make(99) }, "InvalidProduct", []],
    ["for a service that is not an insurance", seller, { serviceId: service.id }, "InvalidProduct", []],
    ["for an owner that the insurer rejects", seller, application("A123450"), "InsuranceRejected", ["inspect"]],
    ["for a vehicle that no insurer accepts", seller, application("A123454"), "VehicleUnsupported", ["inspect"]],
    ["while the insurer is unreachable", seller, application("A123455"), "InsuranceUnavailable", ["inspect"]]
  ] as ReadonlyArray<readonly [string, Session, Partial<Application>, string, ReadonlyArray<string>]>)(
    "is refused %s",
    ([, by, changes, tag, questions]) => {
      const { asked, layer, sent } = insuring()
      return Effect.gen(function* () {
        const error = yield* Effect.flip(startInsurance(by, { ...application(), ...changes }))
        assert.strictEqual(error._tag, tag)
        assert.deepStrictEqual(asked, [...questions])
        assert.deepStrictEqual(sent, [])
        assert.isTrue(yield* nothingBegan)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("is refused while no SMS gateway is configured, and the insurer is not asked", () => {
    const { asked, layer } = insuring()
    return Effect.gen(function* () {
      const error = yield* Effect.flip(startInsurance(live, application()))
      assert.strictEqual(error._tag, "InsuranceUnavailable")
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.provide(Layer.provideMerge(ConfiguredServices.smsGatewaysLayer(null), layer)))
  })

  it.effect("is refused when the insurer does not answer for 30 seconds", () => {
    const { layer, sent } = insuring({ insurer: { inspect: () => Effect.never } })
    return Effect.gen(function* () {
      const begun = yield* Effect.forkChild(Effect.flip(begin()))
      yield* TestClock.adjust("29999 millis")
      assert.isUndefined(begun.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(begun))._tag, "InsuranceUnavailable")
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is refused when the insurer's adapter fails", () => {
    const { layer } = insuring({ insurer: { inspect: () => Effect.die(new Error("reset")) } })
    return Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(begin()))._tag, "InsuranceUnavailable")
      assert.isTrue(yield* nothingBegan)
    }).pipe(Effect.provide(layer))
  })
})

describe("the insurance services of a company", () => {
  it.effect("are an empty list unless insurance is enabled for the company", () => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* insuranceOnSale(seller), { services: [insuranceService], served: true })
      assert.deepStrictEqual((yield* insuranceOnSale(session)).services, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["an insurer", Layer.provideMerge(ConfiguredServices.insurersLayer(null), insuring().layer)],
    ["an SMS gateway", Layer.provideMerge(ConfiguredServices.smsGatewaysLayer(null), insuring().layer)]
  ] as const)("are unavailable while there is no %s", ([, layer]) => {
    const inProduction: Session = { ...seller, company: { ...seller.company, environment: "production" } }
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* insuranceOnSale(inProduction), { services: [insuranceService], served: false })
      assert.isTrue((yield* insuranceOnSale(seller)).served)
    }).pipe(Effect.provide(layer))
  })
})
