import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { Sha256 } from "../domain/Sha256.ts"

const token_bytes = 32

/** A new random token of an invitation, a session or OPERATOR_TOKEN. Only its digest is stored. */
export const newToken = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const text = Base64Url.encode(yield* random.randomBytes(token_bytes))
  return { token: Redacted.make(text), digest: yield* digestOf(text) }
})

/** The digest under which a token is stored. */
export const digestOf = (token: string) => Sha256.useSync(({ bytes }) => bytes(token))
