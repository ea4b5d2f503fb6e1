import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { AmountLiteral, owned_max, readAmount, toPesos } from "../../core/domain/Money.ts"

const centavos_max = 999_999_999_999_999

const anyCentavos = fc.oneof(
  fc.integer({ min: 1, max: centavos_max }),
  fc.integer({ min: 1, max: 10_000 }),
  fc.integer({ min: 1, max: 9_999_999_999_999 }).map((pesos) => pesos * 100)
)

const number = (text: string) => readAmount(AmountLiteral.NumberLiteral({ text }))
const text = (digits: string) => readAmount(AmountLiteral.TextLiteral({ text: digits }))

/** Pesos in plain digits with two decimals, made without any division. */
const plain = (centavos: number): string => {
  const digits = String(centavos).padStart(3, "0")
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** All ways of writing it in plain digits with at most two decimals. */
const plainSpellings = (centavos: number): ReadonlyArray<string> => {
  const two = plain(centavos)
  return [two, two.replace(/0$/, ""), two.replace(/\.00$/, "")].filter((spelling) => !spelling.endsWith("."))
}

/** The point moved to the left of `places` digits, and the exponent that undoes it. */
const scientific = (centavos: number, places: number): string => {
  const digits = String(centavos).padStart(places + 1, "0")
  const mantissa = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
  return `${mantissa.replace(/^0+(?=\d)/, "")}e${places - 2}`
}

describe("reading an amount", () => {
  it("gives the same centavos for every plain spelling, as a number and as a string", () => {
    fc.assert(
      fc.property(anyCentavos, (centavos) => {
        for (const spelling of plainSpellings(centavos)) {
          expect([spelling, number(spelling)]).toEqual([spelling, Result.succeed(centavos)])
          expect([spelling, text(spelling)]).toEqual([spelling, Result.succeed(centavos)])
        }
      })
    )
  })

  it("gives the same centavos for every scientific spelling", () => {
    fc.assert(
      fc.property(anyCentavos, fc.integer({ min: 0, max: 20 }), fc.constantFrom("e", "E"), (centavos, places, mark) => {
        const spelling = scientific(centavos, places).replace("e", mark)
        expect([spelling, number(spelling)]).toEqual([spelling, Result.succeed(centavos)])
      })
    )
  })

  it("undoes toPesos: what JSON.stringify writes reads back exactly", () => {
    fc.assert(
      fc.property(anyCentavos, (centavos) => {
        expect(number(JSON.stringify(toPesos(centavos)))).toEqual(Result.succeed(centavos))
      })
    )
  })

  it("has another number of pesos for each centavo that a company can own", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: owned_max }), (centavos) => {
        expect(toPesos(centavos)).toBeGreaterThan(toPesos(centavos - 1))
        const digits = String(centavos).padStart(3, "0")
        expect(toPesos(centavos).toFixed(2)).toBe(`${digits.slice(0, -2)}.${digits.slice(-2)}`)
      })
    )
    expect(toPesos(owned_max)).toBeGreaterThan(toPesos(owned_max - 1))
  })

  it("refuses more than two written decimals, be they zeros", () => {
    const decimals = fc.stringMatching(/^\d{3,25}$/)
    fc.assert(
      fc.property(fc.nat(), decimals, (whole, tail) => {
        expect(number(`${whole}.${tail}`)).toEqual(Result.fail("max_2_decimales"))
        expect(text(`${whole}.${tail}`)).toEqual(Result.fail("max_2_decimales"))
      })
    )
  })

  it("never rounds: an accepted amount is the number that was written, digit by digit", () => {
    const mantissa = fc.stringMatching(/^(0|[1-9]\d{0,17})(\.\d{1,6})?$/)
    const exponent = fc.option(fc.integer({ min: -6, max: 6 }), { nil: 0 })
    fc.assert(
      fc.property(mantissa, exponent, (digits, shift) => {
        const result = number(shift === 0 ? digits : `${digits}e${shift}`)
        if (Result.isFailure(result)) return
        const [whole = "", decimals = ""] = digits.split(".")
        // In units of 10^-8 of a centavo every number generated here is an integer.
        const exact = BigInt(whole + decimals) * 10n ** BigInt(2 + shift - decimals.length + 10)
        expect(BigInt(result.success) * 10n ** 10n).toBe(exact)
      })
    )
  })

  it("answers any text at all with an amount in range or a reason", () => {
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
