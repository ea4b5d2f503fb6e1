import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { InsuranceId } from "../../../core/domain/Ids.ts"
import { codeLife, codeMaterial, codeMessage, drawCode, isLive } from "../../../core/domain/OneTimeCode.ts"

/** A random source that returns this six-digit number. */
const drawing = (number: number): SecureRandom.SecureRandom["Service"] => ({
  ...SecureRandom.make((size) => new Uint8Array(size)),
  intBetween: (least, most) =>
    Effect.sync(() => {
      assert.deepStrictEqual([least, most], [0, 999_999])
      return number
    })
})

const draw = (environment: "development" | "production", number: number) =>
  Effect.provideService(drawCode(environment), SecureRandom.SecureRandom, drawing(number))

describe("a one-time code", () => {
  it.effect.each([
    ["production", 0, "000000"],
    ["production", 42, "000042"],
    ["production", 987_654, "987654"],
    ["production", 999_999, "999999"],
    ["development", 987_654, "123456"]
  ] as const)("in %s has six digits: the number %d gives %s", ([environment, number, code]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* draw(environment, number), code)
    })
  )

  it("is hashed from a text that differs for every insurance and code", () => {
    const [first, second] = [InsuranceId.make(1), InsuranceId.make(11)]
    const materials = [
      codeMaterial(first, "111111"),
      codeMaterial(first, "111112"),
      codeMaterial(second, "111111"),
      codeMaterial(second, "11111")
    ]
    assert.strictEqual(new Set(materials).size, materials.length)
  })

  it.each([
    // ms before expiry -> valid
    [600_000, true],
    [1, true],
    [0, false],
    [-1, false]
  ])("is valid %d ms before expiry: %s", (left_ms, live) => {
    const sentAt = DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")
    const expiresAt = DateTime.addDuration(sentAt, codeLife)
    const now = DateTime.subtractDuration(expiresAt, Duration.millis(left_ms))
    assert.strictEqual(isLive({ hash: "", expiresAt }, now), live)
  })

  it("fits into one SMS in the GSM alphabet, with its text", () => {
    const text = codeMessage("012345")
    assert.match(text, /^012345 .* 10 minutos/)
    assert.match(text, /^[A-Za-z0-9 .,:éñ]{1,160}$/)
  })
})
