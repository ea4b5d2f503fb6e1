import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { phoneSpellings, readSought, type Sought, type SoughtBy } from "../../../core/domain/SaleSearch.ts"

const soughtIn = (by: SoughtBy, text: string): Sought | null => Option.getOrNull(readSought(by, text))

describe("a search for a sale", () => {
  it.each([
    ["8095551234", true],
    ["809-555-1234", true],
    ["(809) 555-1234", true],
    ["809 555 1234", true],
    ["809.555.1234", true],
    ["1 809 555 1234", true],
    ["+1 (829) 555-1234", true],
    ["+18495551234", true],
    ["809-555-123", false],
    ["8055551234", false],
    ["28095551234", false],
    ["+1809555123x", false],
    ["", false]
  ])("reads %j as a phone: %s", (text, isPhone) => {
    const spellings = phoneSpellings(text)
    assert.strictEqual(spellings.length > 0, isPhone)
    assert.strictEqual(new Set(spellings).size, spellings.length)
    // Each spelling gives the same list of spellings, so the search does not depend on how the phone is written.
    for (const spelling of spellings) assert.deepStrictEqual(phoneSpellings(spelling), spellings)
  })

  it("looks for a phone in the usual spellings, however it is typed", () => {
    assert.deepStrictEqual(soughtIn("phone", " (809) 555-1234 ")?.identifiers, phoneSpellings("8095551234"))
    assert.includeMembers(
      [...phoneSpellings("8095551234")],
      ["8095551234", "18095551234", "+18095551234", "809-555-1234", "(809) 555-1234"]
    )
  })

  it.each([
    ["4711", 4711],
    ["9007199254740991", 9_007_199_254_740_991],
    ["9007199254740992", undefined],
    ["0", undefined],
    ["04711", undefined],
    ["4711a", undefined]
  ])("reads %j as the id %j", (text, id) => {
    assert.strictEqual(soughtIn("text", text)?.id, id)
  })

  it("searches for a text as id, xid, key and identifier together", () => {
    const sought = soughtIn("text", " 8095551234 ")
    assert.strictEqual(sought?.id, 8_095_551_234)
    assert.deepStrictEqual(sought?.xids, ["8095551234"])
    assert.strictEqual(sought?.key, "8095551234")
    assert.include(sought?.identifiers ?? [], "+1 809-555-1234")
  })

  it.each([
    [
      "rd-3F2A9C1BE07D4A55C1D2E3F4",
      ["rd-3F2A9C1BE07D4A55C1D2E3F4", "rd-3f2a9c1be07d4a55c1d2e3f4", "RD-3f2a9c1be07d4a55c1d2e3f4"]
    ],
    ["RD-3f2a9c1be07d4a55c1d2e3f4", ["RD-3f2a9c1be07d4a55c1d2e3f4"]],
    ["Caja-1", ["Caja-1"]]
  ])("looks for the xid %j in the spellings %j", (text, xids) => {
    assert.deepStrictEqual(soughtIn("xid", text)?.xids, xids)
  })

  it("looks for an identifier as typed and without separators", () => {
    assert.deepStrictEqual(soughtIn("identifier", " 1234-5678 ")?.identifiers, ["1234-5678", "12345678"])
    assert.deepStrictEqual(soughtIn("identifier", "–")?.identifiers, ["–", "-"])
  })

  it.each([
    ["text", ""],
    ["text", "   "],
    ["phone", "no phone"],
    ["key", "x".repeat(129)]
  ] as const)("finds nothing for the %s %j, which no sale can have", (by, text) => {
    assert.isNull(soughtIn(by, text))
  })
})
