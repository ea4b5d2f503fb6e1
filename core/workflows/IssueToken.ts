import { DateTime, Effect, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { TokenId } from "../domain/Ids.ts"
import type { TokenState } from "../domain/Token.ts"
import { type NewToken, Tokens } from "../ports/Tokens.ts"
import { byHand } from "./ByHand.ts"
import { companyOf } from "./Company.ts"

const apiKey_bytes = 18
const secret_bytes = 32 // 256 random bits

const encoder = new TextEncoder()

/** What is kept of a secret. Contract: 5. */
export const secretHashOf = Effect.fn("IssueToken.secretHashOf")(function* (secret: Redacted.Redacted) {
  const digest = yield* Digest.Digest
  return yield* digest.digest(Digest.sha256, encoder.encode(Redacted.value(secret)))
})

/** Credentials as they are shown, once. */
interface IssuedToken {
  readonly tokenId: TokenId
  readonly apiKey: string
  readonly secret: Redacted.Redacted
}

/** Gives a company new credentials. Neither part holds a dot; the secret cannot be shown again. Contract: 5. */
export const issueToken = Effect.fn("IssueToken.issueToken")(function* (wanted: Omit<NewToken, "apiKey">) {
  yield* companyOf(wanted.companyId)
  const random = yield* SecureRandom.SecureRandom
  const tokens = yield* Tokens
  const apiKey = Base64Url.encode(yield* random.randomBytes(apiKey_bytes))
  const secret = Redacted.make(Base64Url.encode(yield* random.randomBytes(secret_bytes)))
  const tokenId = yield* tokens.add({ ...wanted, apiKey }, yield* secretHashOf(secret), yield* DateTime.now)
  yield* byHand("token_issued", { companyId: wanted.companyId, tokenId }, { name: wanted.name, apiKey })
  return { tokenId, apiKey, secret } satisfies IssuedToken
})

/** Suspends, activates or, for good, revokes. */
export const changeToken = Effect.fn("IssueToken.changeToken")(function* (tokenId: TokenId, state: TokenState) {
  const tokens = yield* Tokens
  const { companyId } = yield* tokens.setState(tokenId, state)
  yield* byHand(`token_${state}`, { companyId, tokenId })
})
