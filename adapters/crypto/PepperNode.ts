import { createHmac } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { Pepper } from "../../core/ports/Pepper.ts"

const named = "saldo: which pepper is this?"
const name_bytes = 8

/** Computes an HMAC in this thread. Every API call needs one, and WebCrypto's thread pool would take longer. */
const hmac = (key: Uint8Array, data: Uint8Array | string): Uint8Array =>
  new Uint8Array(createHmac("sha256", key).update(data).digest())

const under = (key: Uint8Array) =>
  Pepper.of({
    name: Buffer.from(hmac(key, named).subarray(0, name_bytes)).toString("hex"),
    hmac: (digest) => Effect.sync(() => hmac(key, digest))
  })

const none = Pepper.of({ name: null, hmac: Effect.succeed })

/** The operator's pepper, the 32-byte key for stored hashes of token secrets. Null if none is configured. */
export const layer = (pepper: Redacted.Redacted<Uint8Array> | null) =>
  Layer.succeed(Pepper, pepper === null ? none : under(Redacted.value(pepper)))
