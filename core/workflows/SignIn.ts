import { DateTime, Effect, Option, Redacted } from "effect"
import { type Actor, type Origin, serverActor, shellActorFrom } from "../domain/Operator.ts"
import { isFresh, isLive, type OperatorAccount } from "../domain/OperatorAccount.ts"
import { sha256Hex } from "../domain/Sha256.ts"
import { SignedOut, SignInRefused, TooManyAttempts } from "../domain/SignInErrors.ts"
import { foldedText } from "../domain/Text.ts"
import { CurrentActor } from "../ports/CurrentActor.ts"
import { OperatorSessions, type SignInAttempt, type StoredSession } from "../ports/OperatorSessions.ts"
import { Operators } from "../ports/Operators.ts"
import { PasswordHash } from "../ports/PasswordHash.ts"
import { Totp } from "../ports/Totp.ts"
import { Vault } from "../ports/Vault.ts"
import { atomically, recordAudit } from "./AuditTrail.ts"
import { digestOf, newToken } from "./OperatorTokens.ts"

/** A new session. The token is shown only to the browser or the command line that signs in. */
interface SignedIn {
  readonly token: Redacted.Redacted
  readonly actor: Actor
}

/** The actor of an account. */
export const actorOf = ({ id, name, role }: OperatorAccount, { address, via }: Origin): Actor => ({
  id,
  name,
  role,
  via,
  address
})

/** Purpose of the encryption of an account's TOTP secret. */
export const totpPurpose = ({ id }: Pick<OperatorAccount, "id">): string => `operator totp ${id}`

/** Begins a session of the actor, with an audit event. */
export const beginSession = Effect.fnUntraced(function* (
  actor: Actor,
  via: Origin["via"],
  means: "invitation" | "link" | "oidc" | "password"
) {
  const sessions = yield* OperatorSessions
  const operators = yield* Operators
  const at = yield* DateTime.now
  const { digest, token } = yield* newToken
  yield* sessions.begin(digest, { operatorId: actor.id, via, address: actor.address }, at)
  if (actor.id !== null) yield* operators.signedIn(actor.id, at)
  yield* Effect.provideService(recordAudit("signed_in", {}, { means }), CurrentActor, actor)
  return { token, actor } satisfies SignedIn
})

/** The key under which the failed attempts of a name are counted. */
const attemptOf = Effect.fnUntraced(function* (name: string, { address, via }: Origin) {
  const vault = yield* Vault
  const account = yield* vault.mac(`sign in ${foldedText(name)}`)
  return { account, address: address ?? via } satisfies SignInAttempt
})

/** Counts an attempt, or refuses it if too many earlier attempts have failed. */
const countAttempt = Effect.fnUntraced(function* (attempt: SignInAttempt) {
  const sessions = yield* OperatorSessions
  const seconds = yield* sessions.attempt(attempt, yield* DateTime.now)
  if (seconds !== null) return yield* new TooManyAttempts({ seconds })
})

/** Records a refused sign-in. The service is the actor, because the person is not known. */
export const recordRefusal = (details: Readonly<Record<string, unknown>>, origin: Origin) =>
  Effect.provideService(recordAudit("sign_in_refused", {}, details), CurrentActor, { ...serverActor, ...origin })

// Writes an audit record for each refusal, so that the duration does not show which accounts exist.
const refuse = Effect.fnUntraced(function* (account: OperatorAccount | null, origin: Origin) {
  yield* recordRefusal({ operator: account?.name ?? null }, origin)
  return yield* new SignInRefused()
})

export interface SignInRequest extends Origin {
  readonly name: string
  readonly password: Redacted.Redacted
  /** The code of the authenticator app. */
  readonly code: string
}

/** The stored credentials of an active account, or null. */
const credentialsOf = Effect.fnUntraced(function* (account: OperatorAccount | null) {
  const operators = yield* Operators
  if (account?.state !== "active") return null
  return Option.getOrNull(yield* operators.credentials(account.id))
})

/** The typed password in the form NFKC, in which passwords are hashed. */
const typed = (password: Redacted.Redacted) => Redacted.make(Redacted.value(password).normalize("NFKC"))

/**
 * Signs in with name, password and code. Each code is accepted once. An unknown name, a wrong password, a wrong code and a
 * suspended account give the same error.
 */
export const signIn = Effect.fn("SignIn.signIn")(function* ({ code, name, password, ...origin }: SignInRequest) {
  const operators = yield* Operators
  const sessions = yield* OperatorSessions
  const hashes = yield* PasswordHash
  const vault = yield* Vault
  const totp = yield* Totp
  const attempt = yield* attemptOf(name, origin)
  yield* countAttempt(attempt)
  const account = Option.getOrNull(yield* operators.find(name))
  const stored = yield* credentialsOf(account)
  const isRight = yield* hashes.verify(typed(password), stored?.passwordHash ?? null)
  if (account === null || stored === null || !isRight) return yield* refuse(account, origin)
  const step = totp.stepOf(yield* vault.open(stored.totpSecret, totpPurpose(account)), code, yield* DateTime.now)
  if (step === null || !(yield* operators.useStep(account.id, step))) return yield* refuse(account, origin)
  return yield* atomically(
    Effect.andThen(sessions.succeeded(attempt), beginSession(actorOf(account, origin), origin.via, "password"))
  )
})

/** A session as the console needs it. */
interface OperatorSession {
  readonly actor: Actor
  /** The token that each change must repeat, so that other sites cannot make changes with the cookie. */
  readonly csrf: string
  readonly reauthenticatedAt: DateTime.Utc
  /** Whether the session may make changes without typing the password again. */
  readonly isFresh: boolean
}

/** Whether a person with access to the server's shell may take every action: as long as no admin has an active account. */
export const shellIsAdmin = Operators.use(({ hasAdmin }) => Effect.map(hasAdmin, (hasAdmin) => !hasAdmin))

const liveSession = Effect.fnUntraced(function* (digest: Uint8Array) {
  const sessions = yield* OperatorSessions
  const session = Option.getOrNull(yield* sessions.find(digest))
  if (session === null || !isLive(session, yield* DateTime.now)) return yield* new SignedOut()
  const { operator } = session
  const isAllowed = operator === null ? yield* shellIsAdmin : operator.state === "active"
  return isAllowed ? session : yield* new SignedOut()
})

const sessionActor = ({ operator, via }: StoredSession, address: string | null): Actor =>
  operator === null ? shellActorFrom({ via, address }) : actorOf(operator, { via, address })

/**
 * The session of a token, with the role that the operator has now. Fails if the session has ended, or if the operator
 * is suspended.
 *
 * @param isUse false for requests that a page makes by itself, because such requests must not prolong the session.
 */
export const sessionOf = Effect.fn("SignIn.sessionOf")(function* (token: string, address: string | null, isUse = true) {
  const sessions = yield* OperatorSessions
  const digest = yield* digestOf(token)
  const session = yield* liveSession(digest)
  const now = yield* DateTime.now
  if (isUse) yield* sessions.touch(digest, now)
  return {
    actor: sessionActor(session, address),
    csrf: yield* sha256Hex(`csrf ${token}`),
    reauthenticatedAt: session.reauthenticatedAt,
    // A session without an account has no password.
    isFresh: session.operator === null || isFresh(session, now)
  } satisfies OperatorSession
})

/** Checks the password again, so that the session may make changes. Wrong passwords count as failed sign-ins. */
export const reauthenticate = Effect.fn("SignIn.reauthenticate")(function* (
  token: string,
  password: Redacted.Redacted,
  address: string | null
) {
  const sessions = yield* OperatorSessions
  const hashes = yield* PasswordHash
  const digest = yield* digestOf(token)
  const { operator, via } = yield* liveSession(digest)
  if (operator === null) return
  const origin = { via, address }
  const attempt = yield* attemptOf(operator.name, origin)
  yield* countAttempt(attempt)
  const stored = yield* credentialsOf(operator)
  if (!(yield* hashes.verify(typed(password), stored?.passwordHash ?? null))) return yield* refuse(operator, origin)
  yield* sessions.succeeded(attempt)
  yield* sessions.reauthenticated(digest, yield* DateTime.now)
})

/** Ends a session. Changes nothing if the session has already ended. */
export const signOut = Effect.fn("SignIn.signOut")(function* (token: string, address: string | null) {
  const sessions = yield* OperatorSessions
  const digest = yield* digestOf(token)
  const session = Option.getOrNull(yield* sessions.find(digest))
  if (session === null) return
  yield* sessions.end(digest)
  yield* Effect.provideService(recordAudit("signed_out", {}), CurrentActor, sessionActor(session, address))
}, atomically)

/** The operator who made this token for OPERATOR_TOKEN. Fails if the token was replaced, or if the operator is suspended. */
export const actorOfOperatorToken = Effect.fn("SignIn.actorOfOperatorToken")(function* (token: string, origin: Origin) {
  const operators = yield* Operators
  const account = Option.getOrNull(yield* operators.findByToken(yield* digestOf(token)))
  return account?.state === "active" ? actorOf(account, origin) : yield* new SignedOut()
})
