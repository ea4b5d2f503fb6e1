import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { AmountLiteral, owned_max, readAmount, readLimit, toPesos } from "../../../core/domain/Money.ts"

const centavos_max = 999_999_999_999_999

const anyCentavos = fc.oneof(
  fc.integer({ min: 1, max: centavos_max }),
  fc.integer({ min: 1, max: 10_000 }),
  fc.integer({ min: 1, max: 9_999_999_999_999 }).map((pesos) => pesos * 100)
)

const number = (text: string) => readAmount(AmountLiteral.NumberLiteral({ text }))
const text = (digits: string) => readAmount(AmountLiteral.TextLiteral({ text: digits }))

/** Pesos in plain digits with two decimals, computed without division. */
const plain = (centavos: number): string => {
  const digits = String(centavos).padStart(3, "0")
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** All plain notations of an amount that have at most two decimals. */
const plainSpellings = (centavos: number): ReadonlyArray<string> => {
  const two = plain(centavos)
  return [two, two.replace(/0$/, ""), two.replace(/\.00$/, "")].filter((spelling) => !spelling.endsWith("."))
}

/** Scientific notation: the decimal point is moved left by `places`, and the exponent compensates for it. */
const scientific = (centavos: number, places: number): string => {
  const digits = String(centavos).padStart(places + 1, "0")
  const mantissa = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
  return `${mantissa.replace(/^0+(?=\d)/, "")}e${places - 2}`
}

describe("reading an amount", () => {
  it("gives the same centavos for every plain notation, as number and as string", () => {
    fc.assert(
      fc.property(anyCentavos, (centavos) => {
        for (const spelling of plainSpellings(centavos)) {
          expect([spelling, number(spelling)]).toEqual([spelling, Result.succeed(centavos)])
          expect([spelling, text(spelling)]).toEqual([spelling, Result.succeed(centavos)])
        }
      })
    )
  })

  it("gives the same centavos for every scientific notation", () => {
    fc.assert(
      fc.property(anyCentavos, fc.integer({ min: 0, max: 20 }), fc.constantFrom("e", "E"), (centavos, places, mark) => {
        const spelling = scientific(centavos, places).replace("e", mark)
        expect([spelling, number(spelling)]).toEqual([spelling, Result.succeed(centavos)])
      })
    )
  })

  it("reads back exactly what toPesos and JSON.stringify write", () => {
    fc.assert(
      fc.property(anyCentavos, (centavos) => {
        expect(number(JSON.stringify(toPesos(centavos)))).toEqual(Result.succeed(centavos))
      })
    )
  })

  it("gives a different number of pesos for each centavo up to the largest balance", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: owned_max }), (centavos) => {
        expect(toPesos(centavos)).toBeGreaterThan(toPesos(centavos - 1))
        const digits = String(centavos).padStart(3, "0")
        expect(toPesos(centavos).toFixed(2)).toBe(`${digits.slice(0, -2)}.${digits.slice(-2)}`)
      })
    )
    expect(toPesos(owned_max)).toBeGreaterThan(toPesos(owned_max - 1))
  })

  it("refuses more than two written decimals, even zeros", () => {
    const decimals = fc.stringMatching(/^\d{3,25}$/)
    fc.assert(
      fc.property(fc.nat(), decimals, (whole, tail) => {
        expect(number(`${whole}.${tail}`)).toEqual(Result.fail("max_2_decimales"))
        expect(text(`${whole}.${tail}`)).toEqual(Result.fail("max_2_decimales"))
      })
    )
  })

  it("never rounds: an accepted amount equals the written number digit by digit", () => {
    const mantissa = fc.stringMatching(/^(0|[1-9]\d{0,17})(\.\d{1,6})?$/)
    const exponent = fc.option(fc.integer({ min: -6, max: 6 }), { nil: 0 })
    fc.assert(
      fc.property(mantissa, exponent, (digits, shift) => {
        const result = number(shift === 0 ? digits : `${digits}e${shift}`)
        if (Result.isFailure(result)) return
        const [whole = "", decimals = ""] = digits.split(".")
        // In units of 10^-8 centavos every generated number is an integer.
        const exact = BigInt(whole + decimals) * 10n ** BigInt(2 + shift - decimals.length + 10)
        expect(BigInt(result.success) * 10n ** 10n).toBe(exact)
      })
    )
  })

  it("returns, for any text, either an amount in range or a reason", () => {
    const hostile = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[-+.eE\d ]{0,30}$/))
    fc.assert(
      fc.property(hostile, (anything) => {
        for (const result of [number(anything), text(anything)]) {
          if (Result.isFailure(result)) expect(result.failure).toMatch(/^(invalido|max_2_decimales|fuera_de_rango)$/)
          else expect(result.success > 0 && result.success <= centavos_max).toBe(true)
        }
      })
    )
  })
})

/** The literal as written in JSON: a string if it has quotes, otherwise a number. */
const literal = (json: string): AmountLiteral =>
  json.startsWith('"')
    ? AmountLiteral.TextLiteral({ text: json.slice(1, -1) })
    : AmountLiteral.NumberLiteral({ text: json })

const read = (json: string) => Result.merge(readAmount(literal(json)))

describe("an amount parsed from its literal", () => {
  it.each([
    // JSON           centavos
    ["1", 100],
    ["0.01", 1],
    ["1.1", 110],
    ["1.10", 110],
    ["20.00", 2_000],
    ["1e2", 10_000],
    ["1E2", 10_000],
    ["1e+2", 10_000],
    ["1e0", 100],
    ["15e-1", 150],
    ["1e-2", 1],
    ["100e-2", 100],
    ["1.100e1", 1_100],
    ["0.001e1", 1],
    ["0.29", 29],
    ["4.35", 435],
    ["1.15", 115],
    ["8.115e1", 8_115],
    ["9999999999999.99", 999_999_999_999_999],
    ["1e12", 100_000_000_000_000],
    ['"100"', 10_000],
    ['"100.5"', 10_050],
    ['"100.50"', 10_050],
    ['"0.01"', 1],
    ['"007"', 700],
    ['"000.10"', 10]
  ])("%s is %d centavos", (json, centavos) => expect(read(json)).toBe(centavos))

  it.each([
    // More than two decimals are written, even if a JSON parser would drop them.
    ["10.0000000000000001", "max_2_decimales"],
    ["10.100", "max_2_decimales"],
    ["1.005", "max_2_decimales"],
    ["0.001", "max_2_decimales"],
    ["0.000", "max_2_decimales"],
    ["1e-7", "max_2_decimales"],
    ["1e-3", "max_2_decimales"],
    ["1000e-3", "max_2_decimales"],
    ["1.10e-1", "max_2_decimales"],
    ["1e-99999999999999999999", "max_2_decimales"],
    [`1e-${"9".repeat(400)}`, "max_2_decimales"],
    ["-1.005", "max_2_decimales"],
    ['"10.100"', "max_2_decimales"],
    ['"0.000"', "max_2_decimales"],
    // The amount is zero, negative, or beyond the safe range of centavos.
    ["0", "fuera_de_rango"],
    ["0.00", "fuera_de_rango"],
    ["-0", "fuera_de_rango"],
    ["0e5", "fuera_de_rango"],
    ["0e999", "fuera_de_rango"],
    ["-1", "fuera_de_rango"],
    ["-0.01", "fuera_de_rango"],
    ["-1e2", "fuera_de_rango"],
    ["1e309", "fuera_de_rango"],
    ["1e99999999999999999999", "fuera_de_rango"],
    [`1e${"9".repeat(400)}`, "fuera_de_rango"],
    ["1e13", "fuera_de_rango"],
    ["10000000000000", "fuera_de_rango"],
    ["10000000000000.00", "fuera_de_rango"],
    ["90071992547409.91", "fuera_de_rango"],
    ["9".repeat(500), "fuera_de_rango"],
    ['"0"', "fuera_de_rango"],
    ['"0.00"', "fuera_de_rango"],
    [`"${"9".repeat(500)}"`, "fuera_de_rango"],
    // A string must be plain digits with at most one point.
    ['""', "invalido"],
    ['"."', "invalido"],
    ['"1e2"', "invalido"],
    ['"100."', "invalido"],
    ['".5"', "invalido"],
    ['"1,000"', "invalido"],
    ['"1.000,50"', "invalido"],
    ['"1.2.3"', "invalido"],
    ['"+1"', "invalido"],
    ['"-1"', "invalido"],
    ['" 1"', "invalido"],
    ['"1 "', "invalido"],
    ['"1\n"', "invalido"],
    ['"0x10"', "invalido"],
    ['"1_000"', "invalido"],
    ['"NaN"', "invalido"],
    ['"Infinity"', "invalido"],
    ['"RD$100"', "invalido"],
    ['"١"', "invalido"],
    ['"１００"', "invalido"],
    ['"10\u0000"', "invalido"],
    // The text is not valid JSON.
    ["NaN", "invalido"],
    ["Infinity", "invalido"],
    ["1.", "invalido"],
    [".5", "invalido"],
    ["+1", "invalido"],
    ["0x10", "invalido"],
    ["1e", "invalido"],
    ["1e1.5", "invalido"]
  ])("%s is refused with the reason %s", (json, fault) => expect(read(json)).toBe(fault))

  it("is converted to pesos", () => {
    expect([1, 10, 99, 100, 10_050, 999_999_999_999_999].map(toPesos)).toEqual([
      0.01, 0.1, 0.99, 1, 100.5, 9_999_999_999_999.99
    ])
  })
})

describe("a limit parsed from its literal", () => {
  it.each([
    ["0", 0],
    ["0.0", 0],
    ["0.00", 0],
    ['"0"', 0],
    ["50000", 5_000_000],
    ["0.01", 1],
    ["0.000", "max_2_decimales"],
    ["0e0", "fuera_de_rango"],
    ["-0", "fuera_de_rango"],
    ["-1", "fuera_de_rango"],
    ["1.005", "max_2_decimales"],
    ['""', "invalido"],
    ['"0."', "invalido"],
    ['" 0"', "invalido"]
  ])("%s is parsed to %s", (json, expected) => expect(Result.merge(readLimit(literal(json)))).toBe(expected))
})
