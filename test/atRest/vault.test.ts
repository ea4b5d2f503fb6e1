import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Redacted } from "effect"
import { DataKey } from "../../adapters/crypto/DataKey.ts"
import * as VaultAead from "../../adapters/crypto/VaultAead.ts"
import { codeMaterial } from "../../core/domain/OneTimeCode.ts"
import { Vault } from "../../core/ports/Vault.ts"
import { insurance } from "../support/InsuranceExample.ts"

/** A vault whose key has this byte throughout. */
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

describe("what is sealed", () => {
  it.effect.each([
    ["nothing", ""],
    ["a name", text],
    ["a long text", "ñ".repeat(100_000)]
  ] as const)("is opened for its purpose: %s", ([, secret]) =>
    Effect.gen(function* () {
      const { open, seal } = yield* vaultOf(1)
      assert.strictEqual(yield* open(yield* seal(secret, purpose), purpose), secret)
    })
  )

  it.effect("looks different each time, and shows nothing of the text", () =>
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

  it.effect("cannot be changed in any byte, nor cut", () =>
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

  it.effect("is the same of the same text under one key alone", () =>
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
