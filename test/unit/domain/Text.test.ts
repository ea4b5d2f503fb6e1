import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { IdempotencyKey, Identifier, TerminalId } from "../../../core/domain/Ids.ts"
import {
  canonicalText,
  foldedText,
  isBlank,
  isClean,
  isStorable,
  lengthOf,
  withoutHidden
} from "../../../core/domain/Text.ts"

const character = (code: number) => String.fromCodePoint(code)

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe("text", () => {
  it.each([...range(0x00, 0x1f), 0x7f, ...range(0x80, 0x9f)])("is not clean with the control character %i", (code) => {
    for (const text of [character(code), `a${character(code)}b`, `${character(code)}b`, `a${character(code)}`]) {
      expect(isClean(text)).toBe(false)
      expect(isStorable(text)).toBe(false)
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
    "☂\ufe0f",
    "❤\ufe0f\u200d🔥",
    "1\ufe0f\u20e3",
    // The flag of England.
    "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    // Persian and Devanagari, with the joiners of their spelling.
    "می\u200cخواهم",
    "क\u094d\u200dष",
    "\u{10ffff}",
    "\u2028",
    "'; drop table x; --"
  ])("%j is clean", (text) => expect(isClean(text)).toBe(true))

  it.each(["\ud83d", "\udc69", "a\ud83d", "\udc69b", "\udc69\ud83d", "a\ud83db", "\ud83d\ud83d\udc69"])(
    "is not clean with a lone surrogate: %j",
    (text) => {
      expect(isClean(text)).toBe(false)
      expect(isStorable(text)).toBe(false)
    }
  )

  // Text with a hidden character, and the same text without it.
  it.each([
    ["right-to-left override", "809\u202e4321", "8094321"],
    ...[0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)].map(
      (code) => ["bidirectional control", `a${character(code)}b`, "ab"] as const
    ),
    ["zero-width space", "809\u200b555", "809555"],
    ["byte order mark", "\ufeff809555", "809555"],
    ["word joiner", "809\u2060555", "809555"],
    ["soft hyphen", "809\u00ad555", "809555"],
    ["filler", "809\u3164555", "809555"],
    ["interlinear annotation", "\ufff9809555\ufffb", "809555"],
    ["joiner between digits", "809\u200d555", "809555"],
    ["joiner at the beginning", "\u200d809555", "809555"],
    ["variation selector after a digit", "809\ufe0f555", "809555"],
    ["tag without a flag", "809\u{e0035}555", "809555"],
    ["joiner after a hidden character", "ñ\u200b\u200d5", "ñ5"],
    ["series of joiners", `ñ${"\u200d".repeat(9)}5`, "ñ\u200d\u200d5"]
  ] as const)("with a %s is not clean, but can be stored: %j", (_, text, visible) => {
    expect(isClean(text)).toBe(false)
    expect(isStorable(text)).toBe(true)
    expect(withoutHidden(text)).toBe(visible)
  })

  it("is clean if and only if it can be stored and has no hidden characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.nat(0x2ff).map((code) => String.fromCharCode(code)) }), (text) => {
        const dirty = [...text].some(
          (each) => each < " " || (each >= "\u007f" && each <= "\u009f") || each === "\u00ad"
        )
        expect(isClean(text)).toBe(!dirty)
      })
    )
  })

  it("is clean once its hidden characters are removed, if it can be stored", () => {
    const unit = fc.oneof(
      fc.constantFrom(
        "a",
        "5",
        "ñ",
        "☂",
        "🏴",
        "\u20e3",
        "\u200b",
        "\u200c",
        "\u200d",
        "\ufe0f",
        "\u{e0067}",
        "\u202e"
      ),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }).filter(isStorable)
    )
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(isClean(withoutHidden(text))).toBe(true)
        expect(withoutHidden(text) === text).toBe(isClean(text))
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
    ["\u200b \u200b", ""],
    ["\u2800a\u2800\u2800b\u2800", "a b"],
    ["a\u{1d159}b\u{16fe4}c\u{13441}\u{13442}d", "a b c d"],
    ["\u2800", ""],
    ...[0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0xfe58, 0xfe63, 0xff0d].map(
      (code): [string, string] => [`a${character(code)}1`, "a-1"]
    )
  ] as ReadonlyArray<[string, string]>)("turns %j into %j", (typed, read) => expect(canonicalText(typed)).toBe(read))

  it.each(["\u2800", "\u3164", "\u200b \u2060", " \u00a0\u3000", "\u{1d159}"])("of %j is blank", (text) =>
    expect([isBlank(text), isBlank(`${text}x`)]).toEqual([true, false])
  )

  it("does not change a canonical text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(canonicalText(canonicalText(text))).toBe(canonicalText(text))
      })
    )
  })
})

describe("the folded form", () => {
  // Two texts that look the same to a person.
  it.each([
    ["banco-1", "BANCO\u20101"],
    ["Depósito 88", "DEPO\u0301SITO\u00a088"],
    ["straße", "STRASSE"],
    ["\u1e9e", "ß"],
    ["ΣΑΣ", "σας"],
    ["ﬁn", "FIN"]
  ])("of %j equals the folded form of %j", (one, other) => expect(foldedText(one)).toBe(foldedText(other)))

  it.each([
    ["banco-1", "banco 1"],
    ["banco-1", "banco1"],
    ["deposito", "depósito"],
    ["O", "0"]
  ])("of %j differs from the folded form of %j", (one, other) => expect(foldedText(one)).not.toBe(foldedText(other)))

  it("changes no folded text, and gives the same result for a text and its canonical spelling", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(foldedText(foldedText(text))).toBe(foldedText(text))
        expect(foldedText(canonicalText(text))).toBe(foldedText(text))
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
    // An Idempotency-Key is compared and never printed. So it may also contain hidden characters.
    const ofHidden = refusal(schema, "809\u202e555")
    if (schema === IdempotencyKey) expect(ofHidden).toBeNull()
    else expect(ofHidden).toContain("invalido")
    expect(refusal(schema, `\n${"a".repeat(maximum)}`)).toContain("invalido")
  })

  it("is stored as it was sent, without trimming or normalisation", () => {
    const written = "  +1 (809) 555-1234  "
    expect(Schema.decodeSync(Identifier)(written)).toBe(written)
  })
})
