import { createHash } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import fc from "fast-check"
import * as SecureRandomNode from "../../../adapters/crypto/SecureRandomNode.ts"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import * as VaultAead from "../../../adapters/crypto/VaultAead.ts"
import { DataKey } from "../../../adapters/crypto/VaultAead.ts"
import { codeMaterial } from "../../../core/domain/OneTimeCode.ts"
import { Sha256 } from "../../../core/domain/Sha256.ts"
import { Vault } from "../../../core/ports/Vault.ts"
import { insurance } from "../../support/InsuranceExample.ts"

/** A vault whose key repeats this byte. */
const vaultOf = (byte: number) =>
  Effect.provide(
    Vault,
    Layer.fresh(VaultAead.layer).pipe(
      Layer.provide(Layer.succeed(DataKey, { bytes: Redacted.make(new Uint8Array(32).fill(byte)), protected: false })),
      Layer.provide(NodeCrypto.layer)
    )
  )

const text = "Ñandú Titular 🐦"
const purpose = "seguro 7 31"

const refused = (open: Effect.Effect<string>) =>
  Effect.map(Effect.exit(open), (exit) => {
    assert(Exit.isFailure(exit))
    assert.notInclude(Cause.pretty(exit.cause), text)
  })

describe("a sealed text", () => {
  it.effect.each([
    ["nothing", ""],
    ["a name", text],
    ["a long text", "ñ".repeat(100_000)]
  ] as const)("can be opened with the same purpose: %s", ([, secret]) =>
    Effect.gen(function* () {
      const { open, seal } = yield* vaultOf(1)
      assert.strictEqual(yield* open(yield* seal(secret, purpose), purpose), secret)
    })
  )

  it.effect("differs at every sealing and does not contain the plain text", () =>
    Effect.gen(function* () {
      const { seal } = yield* vaultOf(1)
      const [one, other] = [yield* seal(text, purpose), yield* seal(text, purpose)]
      assert.notDeepEqual(one, other)
      assert.isFalse(Buffer.from(one).includes("Titular"))
    })
  )

  it.effect("cannot be opened for another purpose", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* vaultOf(1)
      const sealed = yield* seal(text, purpose)
      for (const other of ["seguro 7 32", "seguro 8 31", "sms 7 31", ""]) yield* refused(open(sealed, other))
    })
  )

  it.effect("cannot be opened with another key", () =>
    Effect.gen(function* () {
      const sealed = yield* (yield* vaultOf(1)).seal(text, purpose)
      yield* refused((yield* vaultOf(2)).open(sealed, purpose))
    })
  )

  it.effect("cannot be opened after a change of any byte, or after truncation", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* vaultOf(1)
      const sealed = yield* seal("Titular", purpose)
      for (const index of sealed.keys()) {
        const changed = sealed.slice()
        changed[index] = (changed[index] ?? 0) ^ 1
        yield* refused(open(changed, purpose))
        yield* refused(open(sealed.slice(0, index), purpose))
      }
    })
  )
})

describe("a keyed hash", () => {
  const { id } = insurance

  it.effect("is equal for equal texts under one key, and differs under another key", () =>
    Effect.gen(function* () {
      const { mac } = yield* vaultOf(1)
      const hash = yield* mac(codeMaterial(id, "123456"))
      assert.match(hash, /^[0-9a-f]{64}$/)
      assert.strictEqual(yield* mac(codeMaterial(id, "123456")), hash)
      assert.notStrictEqual(yield* mac(codeMaterial(id, "123457")), hash)
      assert.notStrictEqual(yield* (yield* vaultOf(2)).mac(codeMaterial(id, "123456")), hash)
    })
  )
})

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

describe("the pool of random bytes", () => {
  it.effect("never returns the same byte of the pool twice", () =>
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const given = yield* Effect.replicateEffect(random.randomBytes(16), 5_000)
      assert.strictEqual(new Set(given.map(hex)).size, 5_000)
      assert.isTrue(given.every((bytes) => bytes.length === 16))
    }).pipe(Effect.provide(SecureRandomNode.layer))
  )

  it.effect.each([0, 1, 8_191, 8_192, 8_193, 100_000])(
    "returns %i bytes that do not share memory with the pool",
    (size) =>
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

  it.effect("returns each byte value about equally often", () =>
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const counts = new Uint32Array(256)
      for (const bytes of yield* Effect.replicateEffect(random.randomBytes(64), 4_000))
        for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1
      // 1,000 of each value are expected, with a standard deviation of 32.
      assert.isTrue(counts.every((count) => count > 750 && count < 1_250))
    }).pipe(Effect.provide(SecureRandomNode.layer))
  )
})

const sha256 = Effect.runSync(Effect.provide(Sha256, Sha256Node.layer))

const expected = (text: string) => createHash("sha256").update(new TextEncoder().encode(text)).digest()

// Digests are stored and outlive versions of the service. If the digest of a text changed, a client's retry would be
// refused as a different sale.
describe("SHA-256 of a text", () => {
  it("hashes the UTF-8 bytes, also of lone surrogates", () => {
    const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme", maxLength: 500 }))
    fc.assert(
      fc.property(anyText, (text) => {
        assert.strictEqual(sha256.hex(text), expected(text).toString("hex"))
        assert.deepStrictEqual(sha256.bytes(text), new Uint8Array(expected(text)))
      })
    )
    for (const half of ["\uD800", "\uDC00x", "a\uDBFF"]) {
      assert.strictEqual(sha256.hex(half), expected(half).toString("hex"))
    }
  })
})
