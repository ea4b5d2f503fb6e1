import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { readCredentials } from "../../facade/trpc/Credentials.ts"

const long = "k".repeat(200)

describe("credentials", () => {
  it.each([
    ["some", " ".repeat(3), true],
    ["so many that they would fill the memory", " ".repeat(16_000), false]
  ])("after spaces, %s", (_, spaces, plausible) => {
    const headers = { authorization: `Bearer${spaces}llave.secreto`, apiKey: undefined, apiSecret: undefined }
    expect(Result.isSuccess(readCredentials(headers))).toBe(plausible)
  })

  it.each([
    ["both parts as long as a setting may be", long, long, true],
    ["a key that is longer", `${long}k`, "secreto", false],
    ["a secret that is longer", "llave", `${long}s`, false]
  ])("with %s", (_, apiKey, secret, plausible) => {
    const bearer = { authorization: `Bearer ${apiKey}.${secret}`, apiKey: undefined, apiSecret: undefined }
    const pair = { authorization: undefined, apiKey, apiSecret: secret }
    for (const headers of [bearer, pair]) {
      expect(Result.getOrNull(readCredentials(headers))).toEqual(plausible ? { apiKey, secret } : null)
    }
  })
})
