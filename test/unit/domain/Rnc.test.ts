import { describe, expect, it } from "@effect/vitest"
import { Option } from "effect"
import { readRnc } from "../../../core/domain/Rnc.ts"

describe("the RNC of a business", () => {
  // Typed number -> the digits that are stored, or null if it is refused.
  it.each([
    ["101850043", "101850043"],
    ["1-01-85004-3", "101850043"],
    [" 131 246 796 ", "131246796"],
    ["101010632", "101010632"],
    ["00113918205", "00113918205"],
    ["001-1391820-5", "00113918205"],
    ["101850042", null],
    ["101850034", null],
    ["10185004", null],
    ["1018500430", null],
    ["001139182050", null],
    ["1018A0043", null],
    ["١٠١٨٥٠٠٤٣", null],
    ["", null]
  ])("is read from %j as %j", (typed, read) => expect(Option.getOrNull(readRnc(typed))).toBe(read))
})
