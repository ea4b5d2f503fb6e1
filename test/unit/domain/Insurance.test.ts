import { describe, expect, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import fc from "fast-check"
import { InvalidOption, PriceMismatch } from "../../../core/domain/Errors.ts"
import { InsuranceId, ServiceId, TransactionId } from "../../../core/domain/Ids.ts"
import {
  Insurance,
  type InsuranceRequest,
  insuranceOption,
  type Policy,
  policyFacts,
  readInsuranceOption,
  sellable
} from "../../../core/domain/Insurance.ts"
import { AlreadySold, PolicyNotIssued, QuoteExpired, QuoteMissing } from "../../../core/domain/InsuranceErrors.ts"
import { extrasFor, VehicleType, validFor } from "../../../core/domain/InsuranceOffer.ts"
import { InsuranceState } from "../../../core/domain/InsuranceState.ts"
import { nextDay } from "../../../core/domain/LocalTime.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { home, insurance, quoteEnds, tow } from "../../support/InsuranceExample.ts"

const wanted: InsuranceRequest = {
  environment: insurance.environment,
  serviceId: insurance.serviceId,
  identifier: insurance.plate,
  amount: null
}

const beforeEnd = (milliseconds: number) => DateTime.subtract(quoteEnds, { milliseconds })

const sold = TransactionId.make(900)
const alreadySold = (state: InsuranceState) =>
  new AlreadySold({ insuranceId: insurance.id, state, transactionId: sold })
const unquoted: Partial<Insurance> = { quote: null }
const invalid = new InvalidOption()
const missing = new QuoteMissing()
const expired = new QuoteExpired()

describe("a stored insurance", () => {
  it("can be read even if the limits of terminal ids have changed since it was stored", () => {
    const isInsurance = Schema.is(Schema.toType(Insurance))
    expect(isInsurance({ ...insurance, terminalId: "t".repeat(60) })).toBe(true)
    expect(isInsurance({ ...insurance, terminalId: 60 })).toBe(false)
  })
})

describe("a quoted insurance", () => {
  it.each([
    // changes to the insurance, changes to the request, ms until the quote expires -> the refusal, or null
    [{}, {}, 1_800_000, null],
    [{}, {}, 1, null],
    [{}, {}, 0, expired],
    [{}, {}, -1, expired],
    [{}, { identifier: "a123458" }, 1, null],
    [{}, { amount: Amount.make(680_050) }, 1, null],
    [{}, { amount: Amount.make(680_051) }, 1, new PriceMismatch({ price: Amount.make(680_050) })],
    // A request for another vehicle or option is refused without any information about the insurance.
    [{}, { identifier: "A123459" }, 1, invalid],
    [{}, { identifier: "A123458 " }, 1, invalid],
    [{}, { serviceId: ServiceId.make(16) }, 1, invalid],
    [{}, { environment: "production" }, 1, invalid],
    [{ state: "emitida", transactionId: sold }, { identifier: "A123459" }, 1, invalid],
    [{ state: "iniciada", ...unquoted }, { environment: "production" }, 1, invalid],
    // The state of the insurance is checked next.
    [{ state: "iniciada", ...unquoted }, {}, 1, missing],
    [{ state: "otp_enviado", ...unquoted }, {}, 1, missing],
    [{ state: "otp_validado", ...unquoted }, {}, 1, missing],
    [{ state: "plan_confirmado", ...unquoted }, {}, 1, missing],
    [{ state: "cobrando", transactionId: sold }, {}, 1, alreadySold("cobrando")],
    [{ state: "emitiendo", transactionId: sold }, {}, 1, alreadySold("emitiendo")],
    [{ state: "emitida", transactionId: sold }, {}, 1, alreadySold("emitida")],
    [{ state: "fallida", transactionId: sold }, {}, 1, alreadySold("fallida")],
    // A sold insurance is reported as sold even after its quote expired. The amount is checked last.
    [{ state: "cobrando", transactionId: sold }, { amount: Amount.make(1) }, 0, alreadySold("cobrando")],
    [{}, { amount: Amount.make(1) }, 0, expired]
  ] as ReadonlyArray<readonly [Partial<Insurance>, Partial<InsuranceRequest>, number, object | null]>)(
    "is sold or refused as expected: %o, requested with %o, %d ms before its quote expires",
    (insuranceChanges, requestChanges, left_ms, refusal) => {
      const found = sellable(
        { ...insurance, ...insuranceChanges },
        { ...wanted, ...requestChanges },
        beforeEnd(left_ms)
      )
      expect(found).toEqual(refusal === null ? Result.succeed(insurance.quote) : Result.fail(refusal))
    }
  )

  it("is refused like any invalid option if it does not exist", () => {
    expect(sellable(null, wanted, beforeEnd(1))).toEqual(Result.fail(invalid))
  })
})

describe("the option id of an insurance", () => {
  it.each([1, 31, Number.MAX_SAFE_INTEGER])("can be parsed back to the number of the insurance: %d", (id) => {
    expect(readInsuranceOption(insuranceOption(InsuranceId.make(id)))).toBe(id)
  })

  it.each([
    "",
    "31",
    "seguro:",
    "seguro:0",
    "seguro:031",
    "seguro:-1",
    "seguro:1.5",
    "seguro:1e3",
    "seguro: 31",
    "seguro:31 ",
    "seguro:31\n",
    "Seguro:31",
    "seguro:٣١",
    "seguro:9007199254740992",
    "seguro:99999999999999999999",
    "paq-31"
  ])("does not have the form %j", (optionId) => expect(readInsuranceOption(optionId)).toBeNull())
})

const policy: Policy = {
  number: "SBX0123456789AB",
  validity: { from: "2026-03-04", until: "2027-03-03" },
  issuedAt: DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")
}

describe("the documents of an insurance", () => {
  it("state the insured person, the vehicle and the dates once the policy is issued", () => {
    const { insured, plan, plate, quote, version } = insurance
    const issued = { ...insurance, state: "emitida", transactionId: sold, policy } as const
    expect(policyFacts(issued)).toEqual(Result.succeed({ insured, plan, plate, policy, quote, version }))
  })

  it.each(InsuranceState.literals.filter((state) => state !== "emitida"))("do not exist in the state %s", (state) => {
    expect(policyFacts({ ...insurance, state })).toEqual(Result.fail(new PolicyNotIssued({ state })))
  })
})

describe("the extras for a vehicle", () => {
  it.each(VehicleType.literals.filter((type) => type !== "motocicleta"))(
    "include every offered extra for the type %s",
    (type) => {
      expect(extrasFor(type, [tow, home])).toEqual([tow, home])
    }
  )

  it("exclude the tow for a motorcycle", () => {
    expect(extrasFor("motocicleta", [tow, home])).toEqual([home])
  })
})

describe("the dates of a policy", () => {
  it.each([
    // begins (UTC), months -> first day, last day
    ["2026-03-04T12:00:00.000Z", 12, "2026-03-04", "2027-03-03"],
    ["2026-03-04T12:00:00.000Z", 6, "2026-03-04", "2026-09-03"],
    // The first day is the local day.
    ["2026-03-05T03:59:59.999Z", 12, "2026-03-04", "2027-03-03"],
    ["2026-03-05T04:00:00.000Z", 12, "2026-03-05", "2027-03-04"],
    ["2027-01-01T03:59:59.999Z", 6, "2026-12-31", "2027-06-30"],
    // A policy that begins on the first day of a month ends on the last day of a month.
    ["2026-03-01T12:00:00.000Z", 12, "2026-03-01", "2027-02-28"],
    ["2027-03-01T12:00:00.000Z", 12, "2027-03-01", "2028-02-29"],
    ["2026-01-01T12:00:00.000Z", 6, "2026-01-01", "2026-06-30"],
    // The last month lacks the day on which the policy began.
    ["2026-08-31T12:00:00.000Z", 6, "2026-08-31", "2027-02-28"],
    ["2027-08-31T12:00:00.000Z", 6, "2027-08-31", "2028-02-29"],
    ["2026-08-29T12:00:00.000Z", 6, "2026-08-29", "2027-02-28"],
    ["2027-08-29T12:00:00.000Z", 6, "2027-08-29", "2028-02-28"],
    ["2028-02-29T12:00:00.000Z", 12, "2028-02-29", "2029-02-28"],
    ["2028-02-28T12:00:00.000Z", 12, "2028-02-28", "2029-02-27"],
    ["2026-10-31T12:00:00.000Z", 1, "2026-10-31", "2026-11-30"]
  ])("that begins at %s and lasts %d months are %s to %s", (begins, months, from, until) => {
    expect(validFor(DateTime.makeUnsafe(begins), months)).toEqual({ from, until })
  })

  it("never end earlier for a policy that begins later", () => {
    const days = fc.integer({ min: 0, max: 40_000 }).map((day) => DateTime.makeUnsafe(day * 86_400_000))
    fc.assert(
      fc.property(days, fc.integer({ min: 1, max: 24 }), (begins, months) => {
        const { from, until } = validFor(begins, months)
        const tomorrow = validFor(DateTime.add(begins, { days: 1 }), months)
        expect(tomorrow.from).toBe(nextDay(from))
        expect(tomorrow.until >= until).toBe(true)
        expect([from.slice(8), "01"]).toContain(nextDay(until).slice(8))
      })
    )
  })
})
