import { Effect, Redacted } from "effect"
import { Sha256 } from "../domain/Sha256.ts"
import type { PresentedSecret, StoredSecret } from "../domain/Token.ts"
import { Pepper } from "../ports/Pepper.ts"

/** Hashes of a secret, with and without the pepper. Contract: 5. */
export const digestsOf = Effect.fnUntraced(function* (secret: string) {
  const { bytes } = yield* Sha256
  const { hmac } = yield* Pepper
  const plain = bytes(secret)
  return { plain, peppered: yield* hmac(plain) } satisfies PresentedSecret
})

/** The stored form of a new secret. */
export const hashSecret = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
  const { peppered } = yield* digestsOf(Redacted.value(secret))
  const { name } = yield* Pepper
  return { hash: peppered, pepper: name, until: null } satisfies StoredSecret
})

/**
 * Adds the pepper to a secret that was stored without one. Works on the stored hash, so the secret itself is not
 * needed.
 */
export const underPepper = ({ hmac, name }: Pepper["Service"], secret: StoredSecret): Effect.Effect<StoredSecret> =>
  name === null || secret.pepper !== null
    ? Effect.succeed(secret)
    : Effect.map(hmac(secret.hash), (hash) => ({ ...secret, hash, pepper: name }))
