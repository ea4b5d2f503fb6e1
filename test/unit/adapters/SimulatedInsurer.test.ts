import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { simulatedInsurer } from "../../../adapters/insurer/SimulatedInsurer.ts"
import { Identifier, TransactionId } from "../../../core/domain/Ids.ts"
import type { IssuedPolicy } from "../../../core/domain/Insurance.ts"
import type { ExtraCode } from "../../../core/domain/InsuranceOffer.ts"
import type { Amount } from "../../../core/domain/Money.ts"
import { Cedula, maskName, Phone, Plate } from "../../../core/domain/Person.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { DispatchAnswer, type Order } from "../../../core/domain/Sale.ts"
import { company, insuranceService } from "../../support/Examples.ts"

const inspect = (plate: string) =>
  simulatedInsurer.inspect({
    cedula: Cedula.make("00112345678"),
    phone: Phone.make("8095551234"),
    plate: Plate.make(plate),
    product: null
  })

/** Requests a quote for the first version of the vehicle. */
const quote = Effect.fnUntraced(function* (
  plate: string,
  wanted: { readonly plan?: string; readonly extras?: ReadonlyArray<ExtraCode> } = {}
) {
  const { reference, versions } = yield* inspect(plate)
  const [version] = versions
  if (version === undefined) return assert.fail("there is no version")
  const of = { reference, plate: Plate.make(plate), version: version.id }
  return yield* simulatedInsurer.quote({ ...of, plan: wanted.plan ?? "LEY-12", extras: wanted.extras ?? [] })
})

const soldAt = "2026-03-05T03:59:45.000Z"

/** The order to issue the policy of a quote, 15 seconds before local midnight. */
const orderOf = (identifier: string, { reference, total }: { readonly reference: string; readonly total: Amount }) => {
  const order: Order = {
    companyId: company.id,
    transactionId: TransactionId.make(900),
    environment: "development",
    xid: "RD-0123456789abcdef01234567",
    service: { id: insuranceService.id, name: insuranceService.name, type: "insurance" },
    identifier: Identifier.make(identifier),
    amount: total,
    product: null,
    reference,
    createdAt: DateTime.makeUnsafe(soldAt)
  }
  return order
}

const at = (iso: string) => TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe(iso)))

const policy: IssuedPolicy = {
  number: "SBX0123456789AB",
  validity: { from: "2026-03-04", until: "2027-03-03" }
}
const refused = { refusal: "SEGURO_NO_EMITIDO" } as const

describe("the simulated insurer", () => {
  it.effect.each([
    // plate -> result of starting an insurance, or of its quote
    ["A123450", "InsuranceRejected"],
    ["A123454", "VehicleUnsupported"],
    ["A123455", "InsuranceUnavailable"],
    ["A123453", "PolicyActive"],
    ["A123451", null],
    ["A123452", null],
    ["A123456", null],
    ["A123457", null],
    ["A123458", null],
    ["A123459", null],
    ["K000000", "InsuranceRejected"],
    ["K12343", "PolicyActive"]
  ] as const)("answers a plate like %s before the sale with %s (null: no refusal)", ([plate, refusal]) =>
    Effect.gen(function* () {
      const inspected = yield* Effect.result(inspect(plate))
      const quoted = yield* Effect.result(quote(plate))
      assert.strictEqual(Result.isFailure(quoted) ? quoted.failure._tag : null, refusal)
      assert.strictEqual(Result.isSuccess(inspected), refusal === null || refusal === "PolicyActive")
    })
  )

  it.effect("states from which day the active policy of a plate ending in 3 can be renewed", () =>
    Effect.gen(function* () {
      // This instant is still in December in local time.
      yield* at("2027-01-01T03:59:59.999Z")
      const error = yield* Effect.flip(quote("A123453"))
      assert.strictEqual(error._tag === "PolicyActive" && error.renewableFrom, "2027-01-01")
    })
  )

  it.effect.each([
    // plate -> answer to the sale, status immediately after the sale, status 15 s after the sale
    ["A123451", DispatchAnswer.Refused(refused), StatusAnswer.Refused(refused), StatusAnswer.Refused(refused)],
    ["A123402", DispatchAnswer.Unknown(), StatusAnswer.Unknown(), StatusAnswer.Refused(refused)],
    ["A123412", DispatchAnswer.Unknown(), StatusAnswer.Unknown(), StatusAnswer.Unknown()],
    ["A123422", DispatchAnswer.Unknown(), StatusAnswer.Unknown(), StatusAnswer.Delivered({ delivery: policy })],
    ...["A123456", "A123457", "A123458", "A123459", "K123458"].map(
      (plate) =>
        [
          plate,
          DispatchAnswer.Delivered({ delivery: policy }),
          StatusAnswer.Delivered({ delivery: policy }),
          StatusAnswer.Delivered({ delivery: policy })
        ] as const
    )
  ] as ReadonlyArray<
    readonly [string, DispatchAnswer<IssuedPolicy>, StatusAnswer<IssuedPolicy>, StatusAnswer<IssuedPolicy>]
  >)("answers the sale of a plate like %s as its last digits determine", ([plate, issued, early, late]) =>
    Effect.gen(function* () {
      const quoted = yield* quote(plate)
      yield* at(soldAt)
      for (const identifier of [plate, plate.toLowerCase()]) {
        const order = orderOf(identifier, quoted)
        yield* at(soldAt)
        assert.deepStrictEqual(yield* simulatedInsurer.issue(order), issued)
        yield* TestClock.adjust("14999 millis")
        assert.deepStrictEqual(yield* simulatedInsurer.status(order), early)
        // The day has changed, but the policy keeps the dates of the sale.
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* simulatedInsurer.status(order), late)
      }
    })
  )

  it.effect("issues a policy for the months of its plan", () =>
    Effect.gen(function* () {
      const answer = yield* simulatedInsurer.issue(orderOf("A123458", yield* quote("A123458", { plan: "LEY-6" })))
      const validity = { from: "2026-03-04", until: "2026-09-03" }
      assert.deepStrictEqual(answer, DispatchAnswer.Delivered({ delivery: { ...policy, validity } }))
    })
  )

  it.effect("issues no policy for an unknown quote or for another plate", () =>
    Effect.gen(function* () {
      const quoted = yield* quote("A123458")
      const wrong = [
        orderOf("A123459", quoted),
        orderOf("A123458", { ...quoted, reference: "COT-1" }),
        orderOf("A123458", { ...quoted, reference: "SIM-A123458:OTRO:LE" }),
        { ...orderOf("A123458", quoted), reference: null }
      ]
      for (const order of wrong) {
        assert.deepStrictEqual(yield* simulatedInsurer.issue(order), DispatchAnswer.Refused(refused))
        assert.deepStrictEqual(yield* simulatedInsurer.status(order), StatusAnswer.Refused(refused))
      }
    })
  )
})

describe("a simulated vehicle", () => {
  it.effect.each([
    ["K123458", "motocicleta"],
    ["G123458", "jeepeta"],
    ["L123458", "camioneta"],
    ["A123458", "automovil"],
    ["Z123458", "automovil"]
  ] as const)("with the plate %s has the type %s", ([plate, type]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* inspect(plate)).vehicle.type, type)
    })
  )

  it.effect.each(["A12348", "A123458", "A9999998", "K00008", "L5555558"])(
    "is the same at every inspection of the plate %s",
    (plate) =>
      Effect.gen(function* () {
        const found = yield* inspect(plate)
        assert.deepStrictEqual(yield* inspect(plate), found)
        assert.match(found.vehicle.chassis, /^[0-9A-Z]{17}$/)
        assert.match(maskName(found.holder), /^\p{Lu}\*{3} /u)
        assert.isTrue(found.vehicle.year >= 2008 && found.vehicle.year <= 2024)
      })
  )

  it.effect.each([
    // plate -> whether it is a renewal, has a single version, has a suggested version
    ["A123456", false, true, true],
    ["A123457", false, false, false],
    ["A123458", false, false, true],
    ["A123459", true, false, true]
  ] as const)(
    "has the properties that the last digit of the plate %s determines",
    ([plate, renewal, alone, suggested]) =>
      Effect.gen(function* () {
        const found = yield* inspect(plate)
        assert.strictEqual(found.renewal, renewal)
        assert.strictEqual(found.versions.length === 1, alone)
        assert.strictEqual(found.versions.filter((version) => version.suggested).length, suggested ? 1 : 0)
      })
  )
})

describe("a simulated offer", () => {
  it.effect.each(["A123458", "A123468", "G123458", "L123458", "K123458"])(
    "contains plans and extras for each version of the vehicle with the plate %s",
    (plate) =>
      Effect.gen(function* () {
        const { reference, versions } = yield* inspect(plate)
        for (const { id, name } of versions) {
          // The plan id contains characters that a client must URL-encode.
          assert.notStrictEqual(encodeURIComponent(id), id)
          const { detail, extras, plans } = yield* simulatedInsurer.plans({
            reference,
            plate: Plate.make(plate),
            version: id
          })
          assert.include(detail, name)
          assert.deepStrictEqual(
            plans.map(({ months, suggested }) => [months, suggested]),
            [
              [6, false],
              [12, true],
              [12, false]
            ]
          )
          for (const { code, price } of plans) {
            const of = { reference, plate: Plate.make(plate), version: id, plan: code }
            assert.strictEqual((yield* simulatedInsurer.quote({ ...of, extras: [] })).total, price)
            const all = extras.map((extra) => extra.code)
            const added = extras.reduce((sum, extra) => sum + extra.price, 0)
            assert.strictEqual((yield* simulatedInsurer.quote({ ...of, extras: all })).total, price + added)
          }
        }
      })
  )

  it.effect("gives every quote its own reference", () =>
    Effect.gen(function* () {
      const quotes = yield* Effect.all([
        quote("A123458"),
        quote("A123459"),
        quote("A123458", { plan: "LEY-6" }),
        quote("A123458", { extras: ["grua"] }),
        quote("A123458", { extras: ["casa_conductor"] }),
        quote("A123458", { extras: ["grua", "casa_conductor"] })
      ])
      assert.strictEqual(new Set(quotes.map(({ reference }) => reference)).size, quotes.length)
    })
  )

  it.effect.each([
    ["version", { version: "GT" }],
    ["plan", { plan: "TODO" }],
    ["case", { reference: "SIM-A123459" }]
  ] as const)("does not exist for an unknown %s", ([, changes]) =>
    Effect.gen(function* () {
      const plate = Plate.make("A123458")
      const { reference, versions } = yield* inspect(plate)
      const of = { reference, plate, version: versions[0]?.id ?? "", plan: "LEY-12", extras: [], ...changes }
      assert.strictEqual((yield* Effect.flip(simulatedInsurer.quote(of)))._tag, "InsuranceRejected")
    })
  )
})
