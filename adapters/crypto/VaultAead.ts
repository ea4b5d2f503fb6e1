import { Context, Effect, Layer, Redacted } from "effect"
import { Aead, Kdf, Mac, SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { Vault } from "../../core/ports/Vault.ts"

/** The database's data key. All keys that encrypt personal data are derived from it. It never changes. */
export class DataKey extends Context.Service<
  DataKey,
  {
    /** 32 random bytes. */
    readonly bytes: Redacted.Redacted<Uint8Array>
    /**
     * Whether the data key is stored encrypted with the operator's key. If the data key is not encrypted, a copy of the
     * database contains it in plain form.
     */
    readonly protected: boolean
  }
>()("saldo/adapters/crypto/DataKey") {}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const make = Effect.gen(function* () {
  const aead = yield* Aead.Aead
  const mac = yield* Mac.Mac
  const kdf = yield* Kdf.Kdf
  const random = yield* SecureRandom.SecureRandom
  const { bytes } = yield* DataKey

  // Derives a separate key for each purpose.
  const derive = (end: string) =>
    kdf.derive(Kdf.hkdfSha256, Redacted.value(bytes), {
      salt: new Uint8Array(),
      info: encoder.encode(`saldo ${end}`),
      length: 32
    })
  const sealing = yield* Aead.key(Aead.aes256Gcm, yield* derive("sealing"))
  const hashing = yield* Mac.key(Mac.hmacSha256, yield* derive("hashing"))
  const { nonceLength } = sealing.algorithm

  // Random nonces are safe for about 2^32 encryptions with one key. One database will hold far fewer texts.
  const seal = Effect.fnUntraced(function* (text: string, purpose: string) {
    const nonce = yield* random.randomBytes(nonceLength)
    const aad = encoder.encode(purpose)
    const ciphertext = yield* aead.encrypt(sealing, encoder.encode(text), { nonce, aad })
    const sealed = new Uint8Array(nonce.length + ciphertext.length)
    sealed.set(nonce)
    sealed.set(ciphertext, nonce.length)
    return sealed
  }, Effect.orDie)

  const open = Effect.fnUntraced(function* (sealed: Uint8Array, purpose: string) {
    const nonce = sealed.subarray(0, nonceLength)
    const aad = encoder.encode(purpose)
    return decoder.decode(yield* aead.decrypt(sealing, sealed.subarray(nonceLength), { nonce, aad }))
  }, Effect.orDie)

  return Vault.of({
    seal,
    open,
    mac: (text) => Effect.orDie(Effect.map(mac.sign(hashing, encoder.encode(text)), Hex.encode))
  })
})

/**
 * The vault: AES-256-GCM for encryption and HMAC-SHA-256 for digests, each with its own key derived from the data key.
 */
export const layer = Layer.effect(Vault, Effect.orDie(make))
