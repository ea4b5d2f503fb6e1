import { DateTime, Duration, Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { TokenId } from "../domain/Ids.ts"
import type { TokenState } from "../domain/Token.ts"
import { Pepper } from "../ports/Pepper.ts"
import { type NewToken, Tokens } from "../ports/Tokens.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"
import { hashSecret, underPepper } from "./Authenticate.ts"
import { companyOf } from "./ManageCompany.ts"

const apiKey_bytes = 18
const secret_bytes = 32 // 256 random bits.

const newSecret = SecureRandom.SecureRandom.use((random) => random.randomBytes(secret_bytes)).pipe(
  Effect.map((bytes) => Redacted.make(Base64Url.encode(bytes)))
)

/** New credentials. The secret is shown only once. */
interface IssuedToken {
  readonly tokenId: TokenId
  readonly apiKey: string
  readonly secret: Redacted.Redacted
}

/** Issues an api_key and a secret to a company. Neither contains a dot. The secret cannot be shown again. Contract: 5. */
export const issueToken = Effect.fn("ManageTokens.issueToken")(function* (wanted: Omit<NewToken, "apiKey">) {
  yield* requireAction("token")
  yield* companyOf(wanted.companyId)
  const random = yield* SecureRandom.SecureRandom
  const tokens = yield* Tokens
  const apiKey = Base64Url.encode(yield* random.randomBytes(apiKey_bytes))
  const secret = yield* newSecret
  const tokenId = yield* tokens.add({ ...wanted, apiKey }, yield* hashSecret(secret), yield* DateTime.now)
  const { companyId: _, expiresAt, ...others } = wanted
  const issued = { ...others, expiresAt: expiresAt === null ? null : DateTime.formatIso(expiresAt) }
  yield* recordAudit(
    "token_issued",
    { companyId: wanted.companyId, tokenId },
    { before: null, after: { ...issued, apiKey } }
  )
  return { tokenId, apiKey, secret } satisfies IssuedToken
}, atomically)

/**
 * Gives a token a new secret. The current secret stays valid for the overlap, so that clients can change to the new
 * secret one after the other. A secret from an earlier overlap becomes invalid now. Contract: 5.
 *
 * @returns the credentials, shown only once, and the time at which the old secret expires. The time is null if the old
 * secret is invalid from now on.
 */
export const rotateToken = Effect.fn("ManageTokens.rotateToken")(function* (
  tokenId: TokenId,
  overlap: Duration.Duration
) {
  yield* requireAction("token")
  const tokens = yield* Tokens
  const pepper = yield* Pepper
  const secret = yield* newSecret
  const kept = yield* hashSecret(secret)
  const previousUntil = Duration.isZero(overlap) ? null : DateTime.addDuration(yield* DateTime.now, overlap)
  const { apiKey, companyId } = yield* tokens.rotate(tokenId, (current) =>
    Effect.map(underPepper(pepper, current), (better) => ({
      secret: kept,
      previous: previousUntil === null ? null : { ...better, until: previousUntil }
    }))
  )
  const until = previousUntil === null ? null : DateTime.formatIso(previousUntil)
  yield* recordAudit("token_rotated", { companyId, tokenId }, { previous_until: until })
  return { tokenId, apiKey, secret, previousUntil }
}, atomically)

/** Suspends, activates or revokes a token. Revocation is final. */
export const changeToken = Effect.fn("ManageTokens.changeToken")(function* (tokenId: TokenId, state: TokenState) {
  yield* requireAction("token")
  const tokens = yield* Tokens
  const before = yield* tokens.setState(tokenId, state)
  const { companyId } = before
  yield* recordAudit(`token_${state}`, { companyId, tokenId }, { before: { state: before.state }, after: { state } })
}, atomically)
