import { assert, describe, it } from "@effect/vitest"
import { secretsOf } from "../../../adapters/postgres/directory/TokensPostgres.ts"

describe("the secrets of a token", () => {
  it("do not keep the database message in memory", () => {
    const message = new Uint8Array(4096).fill(7)
    const secrets = secretsOf({
      secret_hash: message.subarray(100, 132),
      secret_pepper: null,
      previous_hash: message.subarray(200, 232),
      previous_pepper: null,
      previous_until: new Date(0)
    })
    assert.strictEqual(secrets.length, 2)
    for (const { hash } of secrets) {
      assert.deepStrictEqual(hash, new Uint8Array(32).fill(7))
      assert.strictEqual(hash.buffer.byteLength, 32)
    }
  })
})
