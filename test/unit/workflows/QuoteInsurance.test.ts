import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { simulatedInsurer } from "../../../adapters/insurer/SimulatedInsurer.ts"
import { quoteLife } from "../../../core/domain/Insurance.ts"
import type { ExtraCode } from "../../../core/domain/InsuranceOffer.ts"
import { choosePlan, quoteInsurance } from "../../../core/workflows/InsuranceSteps.ts"
import { fund } from "../../support/InMemoryWorld.ts"
import {
  buy,
  choose,
  firstVersion,
  insuring,
  now,
  planned,
  price,
  quoted,
  seller,
  stateOf,
  verified
} from "../support/InsuranceWorld.ts"

describe("a plan", () => {
  it.effect.each([
    ["for a version that the vehicle does not have", { version: "GT" }, "VersionUnknown"],
    ["if the insurer does not offer it", { plan: "TODO" }, "PlanUnknown"]
  ] as const)("cannot be chosen %s", ([, changes, refusal]) => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const insurance = yield* verified()
      const wanted = { version: firstVersion(insurance), plan: "LEY-12", ...changes }
      const error = yield* Effect.flip(choosePlan(seller, insurance.id, wanted))
      assert.strictEqual(error._tag, refusal)
      assert.strictEqual(yield* stateOf(insurance), "otp_validado")
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["A123458", ["grua", "casa_conductor"]],
    ["K123458", ["casa_conductor"]]
  ] as const)("is stored for the plate %s with its version and its extras: %j", ([plate, extras]) => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const { offeredExtras, plan, version, versions } = yield* planned(plate)
      assert.deepStrictEqual(version, versions[0] ?? null)
      assert.strictEqual(plan?.code, "LEY-12")
      assert.deepStrictEqual(
        offeredExtras.map((extra) => extra.code),
        [...extras]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("voids the quote when another plan replaces it", () => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const insurance = yield* quoted()
      yield* choose(insurance)
      const { plan, quote } = yield* now(insurance)
      assert.deepStrictEqual([plan?.code, quote], ["LEY-6", null])
    }).pipe(Effect.provide(layer))
  })

  it.effect("cannot be chosen while the insurer does not answer", () => {
    const { layer } = insuring({ insurer: { plans: () => Effect.never } })
    return Effect.gen(function* () {
      const insurance = yield* verified()
      const asking = yield* Effect.forkChild(Effect.flip(choose(insurance)))
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(asking))._tag, "InsuranceUnavailable")
      assert.strictEqual(yield* stateOf(insurance), "otp_validado")
    }).pipe(Effect.provide(layer))
  })
})

describe("a quote", () => {
  it.effect.each([
    [[], price],
    [["grua"], price + 85_000],
    [["casa_conductor"], price + 60_000],
    [["casa_conductor", "grua"], price + 145_000]
  ] as ReadonlyArray<readonly [ReadonlyArray<ExtraCode>, number]>)(
    "costs, with the extras %j, %d centavos and is valid for 30 minutes",
    ([extras, total]) => {
      const { layer } = insuring()
      return Effect.gen(function* () {
        const { id } = yield* planned()
        const { quote } = yield* quoteInsurance(seller, id, extras)
        assert.strictEqual(quote?.total, total)
        assert.deepStrictEqual(quote?.extras.map((extra) => extra.code).sort(), [...extras].sort())
        assert.deepStrictEqual(quote?.expiresAt, DateTime.addDuration(yield* DateTime.now, quoteLife))
        assert.strictEqual(Duration.toMinutes(quoteLife), 30)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect.each([
    ["A123458", simulatedInsurer.plans, ["grua", "casa_conductor"], null],
    ["K123458", simulatedInsurer.plans, ["casa_conductor"], null],
    ["K123458", simulatedInsurer.plans, ["grua"], ["grua"]],
    [
      "A123458",
      (of) => Effect.map(simulatedInsurer.plans(of), (list) => ({ ...list, extras: [] })),
      ["grua", "casa_conductor"],
      ["grua", "casa_conductor"]
    ]
  ] as ReadonlyArray<
    readonly [string, typeof simulatedInsurer.plans, ReadonlyArray<ExtraCode>, ReadonlyArray<ExtraCode> | null]
  >)(
    "includes, for the plate %s, only extras that its plan offers for the vehicle",
    ([plate, plans, extras, unavailable]) => {
      const { asked, layer } = insuring({ insurer: { plans } })
      return Effect.gen(function* () {
        const { id } = yield* planned(plate)
        const refused = yield* Effect.match(quoteInsurance(seller, id, extras), {
          onSuccess: () => null,
          onFailure: (error) => (error._tag === "ExtrasUnavailable" ? error.extras : assert.fail(error._tag))
        })
        assert.deepStrictEqual(refused, unavailable)
        assert.strictEqual(asked.includes("quote"), unavailable === null)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("replaces the previous quote", () => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const { id } = yield* quoted()
      yield* TestClock.adjust("20 minutes")
      const { quote } = yield* quoteInsurance(seller, id, ["grua"])
      assert.strictEqual(quote?.total, price + 85_000)
      assert.deepStrictEqual(quote?.expiresAt, DateTime.addDuration(yield* DateTime.now, quoteLife))
    }).pipe(Effect.provide(layer))
  })

  it.effect("is refused for a vehicle with a valid policy", () => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const insurance = yield* planned("A123453")
      const error = yield* Effect.flip(quoteInsurance(seller, insurance.id, []))
      assert.strictEqual(error._tag, "PolicyActive")
      assert.deepStrictEqual(yield* now(insurance), insurance)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is discarded if the plan changed while the insurer calculated the quote", () => {
    const { layer } = insuring({
      insurer: { quote: (wanted) => Effect.delay(simulatedInsurer.quote(wanted), "2 seconds") }
    })
    return Effect.gen(function* () {
      const insurance = yield* planned()
      const quoting = yield* Effect.forkChild(Effect.flip(quoteInsurance(seller, insurance.id, [])))
      yield* TestClock.adjust("1 second")
      yield* choose(insurance)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(quoting))._tag, "StepOutOfOrder")
      const { plan, quote, state } = yield* now(insurance)
      assert.deepStrictEqual([plan?.code, quote, state], ["LEY-6", null, "plan_confirmado"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is discarded if the sale began while the insurer calculated the quote", () => {
    let slowly = false
    const { layer } = insuring({
      insurer: { quote: (wanted) => Effect.delay(simulatedInsurer.quote(wanted), slowly ? "2 seconds" : 0) }
    })
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const insurance = yield* quoted()
      slowly = true
      const quoting = yield* Effect.forkChild(Effect.flip(quoteInsurance(seller, insurance.id, ["grua"])))
      yield* TestClock.adjust("1 second")
      yield* buy(insurance)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(quoting))._tag, "StepOutOfOrder")
      assert.strictEqual((yield* now(insurance)).quote?.total, price)
    }).pipe(Effect.provide(layer))
  })
})
