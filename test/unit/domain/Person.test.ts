import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { Cedula, maskChassis, maskName, maskPhone, Phone, Plate } from "../../../core/domain/Person.ts"

const isCedula = Schema.is(Cedula)
const isPhone = Schema.is(Phone)
const isPlate = Schema.is(Plate)

describe("an identity card", () => {
  it.each([
    ["00112345678", true],
    ["40200000000", true],
    ["0011234567", false],
    ["001123456789", false],
    ["001-1234567-8", false],
    ["0011234567a", false],
    ["00112345678\n", false],
    [" 00112345678", false],
    ["٠٠١١٢٣٤٥٦٧٨", false],
    ["", false]
  ])("accepts %j: %s", (text, expected) => expect(isCedula(text)).toBe(expected))
})

describe("a Dominican phone", () => {
  it.each([
    ["8095551234", true],
    ["8295551234", true],
    ["8495551234", true],
    ["8195551234", false],
    ["8005551234", false],
    ["9095551234", false],
    ["809555123", false],
    ["80955512345", false],
    ["18095551234", false],
    ["+18095551234", false],
    ["809-555-1234", false],
    ["8095551234\n", false]
  ])("accepts %j: %s", (text, expected) => expect(isPhone(text)).toBe(expected))
})

describe("a plate", () => {
  it.each([
    ["A12345", true],
    ["A123456", true],
    ["A1234567", true],
    ["K0000002", true],
    ["A1234", false],
    ["A12345678", false],
    ["a123456", false],
    ["Ñ123456", false],
    ["AA12345", false],
    ["1234567", false],
    ["A-123456", false],
    ["A123456\n", false],
    ["A12345B", false]
  ])("accepts %j: %s", (text, expected) => expect(isPlate(text)).toBe(expected))
})

describe("a mask", () => {
  it.each([
    ["Titular Prueba", "T*** P***"],
    ["Ángel  de la Cruz ", "Á*** d*** l*** C***"],
    ["Ñ", "Ñ***"],
    ["𝒜na", "𝒜***"],
    ["", ""]
  ])("turns the name %j into %j", (name, shown) => expect(maskName(name)).toBe(shown))

  it("keeps the area code and the last four digits of a phone number", () => {
    expect(maskPhone(Phone.make("8095551234"))).toBe("809***1234")
  })

  it.each([
    ["9SBXA000000123458", "***3458"],
    ["58", "***58"]
  ])("turns the chassis number %s into %s", (chassis, shown) => expect(maskChassis(chassis)).toBe(shown))
})
