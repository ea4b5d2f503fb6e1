import { Context, Effect, Redacted } from "effect"
import type { KeptSecret, PresentedSecret } from "../domain/Secret.ts"
import { Sha256 } from "../domain/Sha256.ts"
import { Pepper } from "../ports/Pepper.ts"

/** Hashes of a secret, with and without the pepper. Contract: 5. */
export const digestsOf = (services: Context.Context<Pepper | Sha256>, secret: string) => {
  const plain = Context.get(services, Sha256).bytes(secret)
  const { hmac } = Context.get(services, Pepper)
  return Effect.mapEager(hmac(plain), (peppered): PresentedSecret => ({ plain, peppered }))
}

/** The stored form of a new secret. */
export const hashSecret = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
  const services = yield* Effect.context<Pepper | Sha256>()
  const { peppered } = yield* digestsOf(services, Redacted.value(secret))
  const { name } = Context.get(services, Pepper)
  return { hash: peppered, pepper: name, until: null } satisfies KeptSecret
})

/**
 * Adds the pepper to a secret that was stored without one. Works on the stored hash, so the secret itself is not
 * needed.
 */
export const underPepper = ({ hmac, name }: Pepper["Service"], secret: KeptSecret): Effect.Effect<KeptSecret> =>
  name === null || secret.pepper !== null
    ? Effect.succeed(secret)
    : Effect.map(hmac(secret.hash), (hash) => ({ ...secret, hash, pepper: name }))
