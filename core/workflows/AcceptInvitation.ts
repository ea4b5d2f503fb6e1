import { DateTime, Effect, Option, Redacted } from "effect"
import { type Origin, shellActorFrom } from "../domain/Operator.ts"
import { localLinkLife, type OperatorAccount, readPassword } from "../domain/OperatorAccount.ts"
import { CodeRefused, InvitationRefused, SignInRefused } from "../domain/SignInErrors.ts"
import { CurrentActor } from "../ports/CurrentActor.ts"
import type { ConfirmedIdentity } from "../ports/IdentityProvider.ts"
import { OperatorSessions } from "../ports/OperatorSessions.ts"
import { Operators } from "../ports/Operators.ts"
import { PasswordHash } from "../ports/PasswordHash.ts"
import { Totp } from "../ports/Totp.ts"
import { Vault } from "../ports/Vault.ts"
import { atomically, recordAudit } from "./AuditTrail.ts"
import { digestOf, newToken } from "./OperatorTokens.ts"
import { actorOf, beginSession, recordRefusal, shellIsAdmin, totpPurpose } from "./SignIn.ts"

/** The invitation of an account that is not suspended. Fails if it does not exist, has expired, or was used. */
const openInvitation = Effect.fnUntraced(function* (digest: Uint8Array) {
  const sessions = yield* OperatorSessions
  const found = Option.getOrNull(yield* sessions.invitation(digest))
  const now = yield* DateTime.now
  if (found === null || DateTime.isGreaterThanOrEqualTo(now, found.expiresAt)) return yield* new InvitationRefused()
  const { operator } = found
  return operator === null || operator.state === "suspended" ? yield* new InvitationRefused() : { ...found, operator }
})

/** The account of an invitation, for the page that asks for a password. */
export const invitationOf = Effect.fn("AcceptInvitation.invitationOf")(function* (token: string) {
  const { expiresAt, operator } = yield* openInvitation(yield* digestOf(token))
  return { name: operator.name, role: operator.role, expiresAt }
})

/**
 * Stores the chosen password and a new TOTP secret with the invitation. The account keeps its credentials until
 * `confirmTotp` has shown that the authenticator app has the secret. A second call replaces the password and the secret.
 */
export const acceptInvitation = Effect.fn("AcceptInvitation.acceptInvitation")(function* (
  token: string,
  password: Redacted.Redacted
) {
  const sessions = yield* OperatorSessions
  const hashes = yield* PasswordHash
  const totp = yield* Totp
  const vault = yield* Vault
  const digest = yield* digestOf(token)
  const { operator } = yield* openInvitation(digest)
  const read = yield* Effect.fromResult(readPassword(Redacted.value(password), operator.name))
  const secret = yield* totp.newSecret
  yield* sessions.choose(digest, {
    passwordHash: yield* hashes.hash(Redacted.make(read)),
    totpSecret: yield* vault.seal(secret, totpPurpose(operator))
  })
  return { secret, uri: totp.uriOf(secret, operator.name), name: operator.name }
})

/** Ends all sessions of the account and its invitation. Fails if another call has used the invitation. */
const useInvitation = Effect.fnUntraced(function* (digest: Uint8Array, operator: OperatorAccount) {
  const sessions = yield* OperatorSessions
  if (!(yield* sessions.useInvitation(digest))) return yield* new InvitationRefused()
  yield* sessions.endAll(operator.id)
})

/**
 * Confirms the new TOTP secret with a code, activates the account with the chosen credentials, and signs in. Works once
 * for each invitation.
 */
export const confirmTotp = Effect.fn("AcceptInvitation.confirmTotp")(function* (
  token: string,
  code: string,
  origin: Origin
) {
  const operators = yield* Operators
  const totp = yield* Totp
  const vault = yield* Vault
  const digest = yield* digestOf(token)
  const { chosen, operator } = yield* openInvitation(digest)
  if (chosen === null) return yield* new CodeRefused()
  const secret = yield* vault.open(chosen.totpSecret, totpPurpose(operator))
  const step = totp.stepOf(secret, code, yield* DateTime.now)
  if (step === null) return yield* new CodeRefused()
  yield* useInvitation(digest, operator)
  yield* operators.setCredentials(operator.id, chosen)
  yield* operators.useStep(operator.id, step)
  const actor = actorOf(operator, origin)
  yield* Effect.provideService(recordAudit("invitation_accepted", {}), CurrentActor, actor)
  return yield* beginSession(actor, origin.via, "invitation")
}, atomically)

/** The invited account with the identity's e-mail address, now linked to the identity. */
const linkByEmail = Effect.fnUntraced(function* ({ email, issuer, subject }: ConfirmedIdentity, origin: Origin) {
  const operators = yield* Operators
  const sessions = yield* OperatorSessions
  const account = email === null ? null : Option.getOrNull(yield* operators.findByEmail(email))
  if (account?.state !== "invited") return null
  if (!(yield* operators.link(account.id, { issuer, subject }))) return null
  yield* sessions.endAll(account.id)
  const actor = actorOf(account, origin)
  yield* Effect.provideService(recordAudit("identity_linked", {}, { issuer, subject }), CurrentActor, actor)
  return account
})

/**
 * Signs in with an identity that a provider has confirmed. The first time, the e-mail address leads to an invited
 * account, which is then linked to the identity.
 */
export const signInWithOidc = Effect.fn("AcceptInvitation.signInWithOidc")(
  function* (identity: ConfirmedIdentity, origin: Origin) {
    const operators = yield* Operators
    const linked = Option.getOrNull(yield* operators.findByIdentity(identity))
    const account = linked ?? (yield* linkByEmail(identity, origin))
    if (account === null || account.state === "suspended") return yield* new SignInRefused()
    return yield* beginSession(actorOf(account, origin), origin.via, "oidc")
  },
  atomically,
  (signingIn, { issuer, subject }, origin) =>
    Effect.tapErrorTag(signingIn, "SignInRefused", () => recordRefusal({ issuer, subject }, origin))
)

/**
 * A new token for the one-time link that `npm start` prints. The link opens a session without an account. Null if an
 * admin has an active account, because then access to the server's shell does not suffice for a session.
 */
export const localLink = Effect.fn("AcceptInvitation.localLink")(function* () {
  if (!(yield* shellIsAdmin)) return null
  const sessions = yield* OperatorSessions
  const { digest, token } = yield* newToken
  yield* sessions.invite(null, digest, DateTime.addDuration(yield* DateTime.now, localLinkLife))
  return token
}, atomically)

/** Opens a session without an account, with the one-time link that `npm start` prints. */
export const openLocalLink = Effect.fn("AcceptInvitation.openLocalLink")(function* (token: string, origin: Origin) {
  const sessions = yield* OperatorSessions
  const digest = yield* digestOf(token)
  const found = Option.getOrNull(yield* sessions.invitation(digest))
  const now = yield* DateTime.now
  const isOpen = found?.operator === null && DateTime.isLessThan(now, found.expiresAt) && (yield* shellIsAdmin)
  if (!isOpen || !(yield* sessions.useInvitation(digest))) return yield* new InvitationRefused()
  return yield* beginSession(shellActorFrom(origin), origin.via, "link")
}, atomically)
