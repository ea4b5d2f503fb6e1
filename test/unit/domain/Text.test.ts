import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { IdempotencyKey, Identifier, TerminalId } from "../../../core/domain/Ids.ts"
import { canonicalText, isClean, lengthOf } from "../../../core/domain/Text.ts"

const character = (code: number) => String.fromCodePoint(code)

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe("text", () => {
  it.each([...range(0x00, 0x1f), 0x7f, ...range(0x80, 0x9f)])("is not clean with the control character %i", (code) => {
    for (const text of [character(code), `a${character(code)}b`, `${character(code)}b`, `a${character(code)}`]) {
      expect(isClean(text)).toBe(false)
    }
  })

  it.each([
    "",
    " ",
    "~",
    "\u00a0",
    "Ñandú",
    "é",
    "e\u0301",
    "١٢٣",
    "☂",
    "👩‍👩‍👧",
    "\u{10ffff}",
    "\u2028",
    "'; drop table x; --"
  ])("%j is clean", (text) => expect(isClean(text)).toBe(true))

  it.each(["\ud83d", "\udc69", "a\ud83d", "\udc69b", "\udc69\ud83d", "a\ud83db", "\ud83d\ud83d\udc69"])(
    "is not clean with a lone surrogate: %j",
    (text) => expect(isClean(text)).toBe(false)
  )

  it("is clean if and only if no code point is a control character or a lone surrogate", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.nat(0x2ff).map((code) => String.fromCharCode(code)) }), (text) => {
        const dirty = [...text].some((each) => each < " " || (each >= "\u007f" && each <= "\u009f"))
        expect(isClean(text)).toBe(!dirty)
      })
    )
  })

  it.each([
    ["", 0],
    ["abc", 3],
    ["ñ", 1],
    ["n\u0303", 2],
    ["💸", 1],
    ["💸💸", 2],
    ["👩‍👩‍👧", 5]
  ])("%j has %d code points", (text, length) => expect(lengthOf(text)).toBe(length))
})

describe("the canonical spelling", () => {
  it.each([
    ["BANCO-1", "BANCO-1"],
    ["  a \u00a0 b ", "a b"],
    ["e\u0301", "é"],
    ["\uff21\uff11", "A1"],
    ["a\u200bb\u00adc\u2066d\u2069", "abcd"],
    ["a\u2028b", "a b"],
    ["a\u034fb\ufe0fc\u115fd\u3164e\uffa0f\u{e0100}", "abcdef"],
    ["\u3164", ""],
    ["\u200b \u200b", ""]
  ])("turns %j into %j", (typed, read) => expect(canonicalText(typed)).toBe(read))

  it("does not change a canonical text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(canonicalText(canonicalText(text))).toBe(canonicalText(text))
      })
    )
  })
})

/** The message of a failed check is the reason code of VALIDATION_ERROR. */
const refusal = (schema: Schema.Codec<string>, text: string): string | null =>
  Result.match(Schema.decodeResult(schema)(text), {
    onSuccess: () => null,
    onFailure: (issue) => String(issue)
  })

describe("a text field of the contract", () => {
  it.each([
    ["identifier", 3, 100, Identifier],
    ["terminal_id", 0, 50, TerminalId],
    ["Idempotency-Key", 1, 128, IdempotencyKey]
  ] as const)("%s accepts %d to %d code points, all of them clean", (_, minimum, maximum, schema) => {
    for (const unit of ["a", "ñ", "💸"]) {
      if (minimum > 0) expect(refusal(schema, unit.repeat(minimum - 1))).toContain("longitud")
      expect(refusal(schema, unit.repeat(minimum))).toBeNull()
      expect(refusal(schema, unit.repeat(maximum))).toBeNull()
      expect(refusal(schema, unit.repeat(maximum + 1))).toContain("longitud")
    }
    expect(refusal(schema, "809\u0000555")).toContain("invalido")
    expect(refusal(schema, "809\ud83d555")).toContain("invalido")
    expect(refusal(schema, `\n${"a".repeat(maximum)}`)).toContain("invalido")
  })

  it("is stored as it was sent, without trimming or normalisation", () => {
    const written = "  +1 (809) 555-1234  "
    expect(Schema.decodeSync(Identifier)(written)).toBe(written)
  })
})
