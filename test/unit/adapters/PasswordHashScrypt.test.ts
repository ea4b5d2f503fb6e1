import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { layer } from "../../../adapters/crypto/PasswordHashScrypt.ts"
import { PasswordHash } from "../../../core/ports/PasswordHash.ts"

const password = Redacted.make("correct horse battery")

describe("a password's hash", () => {
  it.effect("is verified by the same password only, and differs each time", () =>
    Effect.gen(function* () {
      const { hash, verify } = yield* PasswordHash
      const [one, other] = [yield* hash(password), yield* hash(password)]
      assert.notStrictEqual(one, other)
      assert.match(one, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
      assert.isTrue(yield* verify(password, one))
      assert.isTrue(yield* verify(password, other))
      assert.isFalse(yield* verify(Redacted.make("correct horse batterz"), one))
      assert.isFalse(yield* verify(password, null))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is verified with the parameters with which it was made", () =>
    Effect.gen(function* () {
      const { verify } = yield* PasswordHash
      // A test vector of RFC 7914: the salt is "NaCl".
      const vector = "scrypt$1024$8$16$TmFDbA$_bq-HJ00cgB4VucZDQHp_nxq18vII3gw53N2Y0s3MWI"
      assert.isTrue(yield* verify(Redacted.make("password"), vector))
    }).pipe(Effect.provide(layer))
  )
})
