import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { AmountLiteral, readAmount, readLimit, toPesos } from "../../core/domain/Money.ts"

/** As it stands in the JSON: quoted is a string, else a number. */
const literal = (json: string): AmountLiteral =>
  json.startsWith('"')
    ? AmountLiteral.TextLiteral({ text: json.slice(1, -1) })
    : AmountLiteral.NumberLiteral({ text: json })

const read = (json: string) => Result.merge(readAmount(literal(json)))

describe("an amount, read off its literal text", () => {
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
    // More than two decimals are written, whatever a parser would make of them.
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
    // Not above zero, or beyond what a centavo can be counted in.
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
    // A string is plain digits with at most one point.
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
    // What no JSON parser lets through is refused here too.
    ["NaN", "invalido"],
    ["Infinity", "invalido"],
    ["1.", "invalido"],
    [".5", "invalido"],
    ["+1", "invalido"],
    ["0x10", "invalido"],
    ["1e", "invalido"],
    ["1e1.5", "invalido"]
  ])("%s is refused: %s", (json, fault) => expect(read(json)).toBe(fault))

  it("is shown in pesos", () => {
    expect([1, 10, 99, 100, 10_050, 999_999_999_999_999].map(toPesos)).toEqual([
      0.01, 0.1, 0.99, 1, 100.5, 9_999_999_999_999.99
    ])
  })
})

describe("a limit, read off its literal text", () => {
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
  ])("%s is %s", (json, expected) => expect(Result.merge(readLimit(literal(json)))).toBe(expected))
})
