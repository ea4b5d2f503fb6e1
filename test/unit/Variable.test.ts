import { assert, describe, it } from "@effect/vitest"
import { onOff } from "../../facade/settings/Variable.ts"

describe("a variable that is one of some words", () => {
  it.each([
    ["on", true],
    ["Yes", true],
    ["0", false],
    ["off", false],
    ["maybe", null],
    ["constructor", null],
    ["__proto__", null],
    ["toString", null]
  ])("%s -> %j", (text, meaning) => {
    assert.strictEqual(onOff(text), meaning)
  })
})
