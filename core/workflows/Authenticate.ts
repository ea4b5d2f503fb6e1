import { Clock, Context, DateTime, Effect, Option, Redacted, Result } from "effect"
import { Forbidden, Unauthenticated } from "../domain/Errors.ts"
import { admit, type Session } from "../domain/Session.ts"
import { Sha256 } from "../domain/Sha256.ts"
import { matchingSecret, type PresentedSecret, type StoredSecret } from "../domain/Token.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { Pepper } from "../ports/Pepper.ts"
import { type Credentials, TokenDirectory } from "../ports/TokenDirectory.ts"
import { withSpan } from "../telemetry/Spans.ts"

/** Hashes of a secret, with and without the pepper. Contract: 5. */
const digestsOf = (services: Context.Context<Pepper | Sha256>, secret: string): Effect.Effect<PresentedSecret> => {
  const plain = Context.get(services, Sha256).bytes(secret)
  return Effect.map(Context.get(services, Pepper).hmac(plain), (peppered) => ({ plain, peppered }))
}

/** The stored form of a new secret. */
export const hashSecret = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
  const { peppered } = yield* digestsOf(yield* Effect.context<Pepper | Sha256>(), Redacted.value(secret))
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

/** A session and the stored secret that the caller's secret matched. */
interface MatchedSession {
  readonly session: Session
  readonly known: StoredSecret
}

/**
 * Compares the presented secret with the stored secrets. An unknown api_key has no secrets, but the comparison takes as
 * long as for a wrong secret.
 */
const openSession = (
  found: Option.Option<Credentials>,
  presented: PresentedSecret,
  address: string,
  now: DateTime.Utc
): Result.Result<MatchedSession, Unauthenticated | Forbidden> => {
  const known = matchingSecret(Option.isNone(found) ? [] : found.value.secrets, presented, now)
  if (known === null || Option.isNone(found)) return Result.fail(new Unauthenticated())
  return Result.map(admit(found.value.session, address, now), (session) => ({ session, known }))
}

/**
 * Authenticates a caller. The secret is checked first, so a wrong secret is always Unauthenticated, and a stranger
 * learns nothing about token or company. Contract: 5.
 *
 * @param address the client's IP address, for tokens that are restricted to a list of addresses.
 */
export const authenticate = withSpan(
  "Authenticate.authenticate",
  (credentials: { readonly apiKey: string; readonly secret: string }, address: string) =>
    Effect.contextWith((services: Context.Context<Pepper | Sha256 | TokenDirectory>) => {
      const { lookup, used } = Context.get(services, TokenDirectory)
      return Effect.flatMap(lookup(credentials.apiKey), (found) =>
        Effect.flatMap(digestsOf(services, credentials.secret), (presented) => {
          const now = DateTime.makeUnsafe(Context.get(services, Clock.Clock).currentTimeMillisUnsafe())
          const opened = openSession(found, presented, address, now)
          if (Result.isFailure(opened)) return Effect.fail(opened.failure)
          const { known, session } = opened.success
          return Effect.flatMap(underPepper(Context.get(services, Pepper), known), (better) =>
            Effect.as(used({ tokenId: session.token.id, at: now, secret: { known, better } }), session)
          )
        })
      )
    })
)

/**
 * Whether `authenticate` would accept these credentials now. The check is not recorded as a use of the token. False
 * while the database does not answer.
 */
export const wouldAccept = (
  credentials: { readonly apiKey: string; readonly secret: string },
  address: string
): Effect.Effect<boolean, never, Pepper | Sha256 | TokenDirectory> =>
  Effect.gen(function* () {
    const { lookup } = yield* TokenDirectory
    const presented = yield* digestsOf(yield* Effect.context<Pepper | Sha256>(), credentials.secret)
    return Result.isSuccess(openSession(yield* lookup(credentials.apiKey), presented, address, yield* DateTime.now))
  }).pipe(Effect.catchCause(() => Effect.succeed(false)))

/**
 * Checks the company id in a body. Only the token's own company is accepted. Any other id is refused and recorded in
 * the audit log. Contract: 5.
 *
 * @param named company id in the body.
 */
export const refuseForeign = Effect.fnUntraced(function* ({ company, token }: Session, named: number) {
  if (named === company.id) return
  const log = yield* AuditLog
  yield* log.record({
    at: yield* DateTime.now,
    action: "foreign_company",
    companyId: company.id,
    tokenId: token.id,
    details: { empresa_id: named }
  })
  return yield* new Forbidden({ why: "foreign_company" })
})
