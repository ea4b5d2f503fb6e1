import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import type { InsuranceId } from "../../../core/domain/Ids.ts"
import type { Session } from "../../../core/domain/Session.ts"
import { resendCode, startInsurance, verifyCode } from "../../../core/workflows/InsuranceSteps.ts"
import { application, begin, code, insuring, seller, stateOf } from "../support/InsuranceWorld.ts"

/** Tries a code and returns the result in short: the next state, the attempts left, or why the code was refused. */
const verify = (id: InsuranceId, guess: string, by: Session = seller) =>
  Effect.map(Effect.result(verifyCode(by, id, guess)), (heard) => {
    if (Result.isSuccess(heard)) return heard.success.state
    const { failure } = heard
    return failure._tag === "CodeWrong" ? failure.attemptsLeft : failure._tag
  })

const resend = (id: InsuranceId, by: Session = seller) =>
  Effect.map(Effect.result(resendCode(by, id)), (heard) =>
    Result.isSuccess(heard) ? heard.success : heard.failure._tag
  )

const wrong = "000000"

describe("a code", () => {
  it.effect.each([
    [0, "otp_validado"],
    [599_999, "otp_validado"],
    [600_000, 4]
  ] as const)("is valid for ten minutes: after %d ms the result is %s", ([age_ms, heard]) => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const { id } = yield* begin()
      yield* TestClock.adjust(age_ms)
      assert.strictEqual(yield* verify(id, code), heard)
    }).pipe(Effect.provide(layer))
  })

  it.effect.each(["", "12345", "1234567", " 123456", "１２３４５６", "abcdef"])("is wrong if it is %j", (guess) => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const { id } = yield* begin()
      assert.strictEqual(yield* verify(id, guess), 4)
      assert.strictEqual(yield* stateOf({ id }), "otp_enviado")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is accepted at the fifth attempt", () => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const { id } = yield* begin()
      const heard = yield* Effect.forEach([wrong, wrong, wrong, wrong, code], (guess) => verify(id, guess))
      assert.deepStrictEqual(heard, [4, 3, 2, 1, "otp_validado"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("blocks the insurance permanently after five wrong attempts", () => {
    const { layer, sent } = insuring()
    return Effect.gen(function* () {
      const { id } = yield* begin()
      const heard = yield* Effect.forEach([wrong, wrong, wrong, wrong, wrong, code], (guess) => verify(id, guess))
      assert.deepStrictEqual(heard, [4, 3, 2, 1, 0, "CodeBlocked"])
      assert.strictEqual(yield* resend(id), "CodeBlocked")
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* verify(id, code), "CodeBlocked")
      assert.strictEqual(yield* stateOf({ id }), "otp_enviado")
      assert.strictEqual(sent.length, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("does not get its attempts back when it is resent", () => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const { id } = yield* begin()
      const heard = [yield* verify(id, wrong), yield* verify(id, wrong), yield* resend(id), yield* verify(id, wrong)]
      assert.deepStrictEqual(heard, [4, 3, true, 2])
    }).pipe(Effect.provide(layer))
  })

  it.effect("can be resent five times, and the last code is valid", () => {
    const { layer, sent } = insuring()
    return Effect.gen(function* () {
      const { id } = yield* begin()
      const heard = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => resend(id))
      assert.deepStrictEqual(heard, [true, true, true, true, true, "CodeBlocked"])
      assert.strictEqual(sent.length, 6)
      assert.strictEqual(yield* verify(id, code), "otp_validado")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is valid for ten minutes after a resend", () => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const { id } = yield* begin()
      yield* TestClock.adjust("9 minutes")
      yield* resend(id)
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual(yield* verify(id, code), "otp_validado")
    }).pipe(Effect.provide(layer))
  })
})

describe("codes tried at the same time", () => {
  const atOnce = (id: InsuranceId, guesses: ReadonlyArray<string>) =>
    Effect.forEach(guesses, (guess) => verify(id, guess), { concurrency: "unbounded" })

  it.effect("are counted one after the other", () => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const { id } = yield* begin()
      const heard = yield* atOnce(
        id,
        Array.from({ length: 8 }, () => wrong)
      )
      assert.deepStrictEqual(heard.map(String).sort(), [
        "0",
        "1",
        "2",
        "3",
        "4",
        "CodeBlocked",
        "CodeBlocked",
        "CodeBlocked"
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("advance the insurance once, even if each code is right", () => {
    const { layer } = insuring()
    return Effect.gen(function* () {
      const { id } = yield* begin()
      const heard = yield* atOnce(id, [code, code])
      assert.deepStrictEqual(heard.map(String).sort(), ["StepOutOfOrder", "otp_validado"])
    }).pipe(Effect.provide(layer))
  })
})

describe("a code in production", () => {
  const live: Session = { ...seller, company: { ...seller.company, environment: "production" } }
  const start = Effect.map(startInsurance(live, application()), ({ insurance }) => insurance.id)

  it.effect("must be the last code that was sent for this insurance", () => {
    const { layer, sent } = insuring()
    return Effect.gen(function* () {
      const id = yield* start
      yield* resend(id, live)
      const other = yield* start
      const [before = "", last = "", foreign = ""] = sent.map(({ text }) => text.slice(0, 6))
      // The random codes may be equal by chance. A code that equals the last code is not wrong, so it is left out.
      const wrongOnes = [before, foreign].filter((guess) => guess !== last)
      const heard = yield* Effect.forEach([...wrongOnes, last], (guess) => verify(id, guess, live))
      assert.deepStrictEqual(heard, [4, 3, "otp_validado"].slice(2 - wrongOnes.length))
      assert.strictEqual(yield* stateOf({ id: other }), "otp_enviado")
    }).pipe(Effect.provide(layer))
  })
})
