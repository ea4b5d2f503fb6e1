import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SecureRandomNode from "../../adapters/node/SecureRandomNode.ts"

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

describe("secure randomness that is drawn ahead", () => {
  it.effect("gives no byte twice, however often it is drawn", () =>
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const given = yield* Effect.replicateEffect(random.randomBytes(16), 5_000)
      assert.strictEqual(new Set(given.map(hex)).size, 5_000)
      assert.isTrue(given.every((bytes) => bytes.length === 16))
    }).pipe(Effect.provide(SecureRandomNode.layer))
  )

  it.effect.each([0, 1, 8_191, 8_192, 8_193, 100_000])("gives %i bytes that are the caller's own", (size) =>
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const first = yield* random.randomBytes(size)
      const kept = hex(first)
      const next = yield* random.randomBytes(size)
      next.fill(0)
      assert.strictEqual(first.length, size)
      assert.strictEqual(hex(first), kept)
    }).pipe(Effect.provide(SecureRandomNode.layer))
  )

  it.effect("looks like chance: every value of a byte comes about as often as any other", () =>
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const counts = new Uint32Array(256)
      for (const bytes of yield* Effect.replicateEffect(random.randomBytes(64), 4_000))
        for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1
      // A thousand of each are to be expected, with a deviation of 32.
      assert.isTrue(counts.every((count) => count > 750 && count < 1_250))
    }).pipe(Effect.provide(SecureRandomNode.layer))
  )
})
