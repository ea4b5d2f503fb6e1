import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Secret, TOTP } from "otpauth"
import * as SecureRandomNode from "../../../adapters/crypto/SecureRandomNode.ts"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import * as TotpOtpauth from "../../../adapters/crypto/TotpOtpauth.ts"
import * as VaultAead from "../../../adapters/crypto/VaultAead.ts"
import * as AtomicPostgres from "../../../adapters/postgres/connection/AtomicPostgres.ts"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import * as AuditLogPostgres from "../../../adapters/postgres/directory/AuditLogPostgres.ts"
import * as DataKeyPostgres from "../../../adapters/postgres/directory/DataKeyPostgres.ts"
import * as OperatorSessionsPostgres from "../../../adapters/postgres/directory/OperatorSessionsPostgres.ts"
import * as OperatorsPostgres from "../../../adapters/postgres/directory/OperatorsPostgres.ts"
import { OperatorName, type Origin, type Role } from "../../../core/domain/Operator.ts"
import { PasswordHash } from "../../../core/ports/PasswordHash.ts"
import { acceptInvitation, confirmTotp } from "../../../core/workflows/AcceptInvitation.ts"
import { inviteOperator } from "../../../core/workflows/ManageOperators.ts"
import { signIn } from "../../../core/workflows/SignIn.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"

/** The stored hashes that passwords were verified against since the last call of `verified.splice(0)`. */
export const verified: Array<string | null> = []

// Does not hash, because the tests sign in often. test/unit/adapters tests the real hashes.
const plainPasswords = Layer.succeed(PasswordHash, {
  hash: (password) => Effect.succeed(`plain ${Redacted.value(password)}`),
  verify: (password, stored) =>
    Effect.sync(() => {
      verified.push(stored)
      return stored === `plain ${Redacted.value(password)}`
    })
})

const vault = VaultAead.layer.pipe(Layer.provideMerge(DataKeyPostgres.layer(null)), Layer.provide(NodeCrypto.layer))

/** Everything that accounts need, on a connection. */
const accountPorts = Layer.mergeAll(
  AtomicPostgres.layer,
  AuditLogPostgres.layer,
  OperatorSessionsPostgres.layer,
  OperatorsPostgres.layer,
  plainPasswords,
  TotpOtpauth.layer
).pipe(Layer.provideMerge(Layer.mergeAll(Sha256Node.layer, SecureRandomNode.layer, vault)))

/** Accounts in a new database, with the login of an operator. */
export const AccountsLayer = Layer.unwrap(
  Effect.map(freshDatabaseUrl, (url) =>
    accountPorts.pipe(
      Layer.provideMerge(Database.layer({ url: Redacted.make(asLoginIn("saldo_operator", url)), connections_max: 8 }))
    )
  )
)

export const browser: Origin = { via: "console", address: "203.0.113.7" }
export const password = Redacted.make("correct horse battery")

/** The code of an authenticator app, `later_steps` steps of thirty seconds after now. */
export const codeOf = (secret: string, later_steps = 0) =>
  Effect.map(DateTime.now, (now) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: DateTime.toEpochMillis(now) + later_steps * 30_000
    })
  )

/**
 * Runs a test on its own clock, which begins at noon. The connections keep the real clock. On the test's clock, they would
 * repeat their periodic checks for all the time that a jump skips.
 */
export const atNoon = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.andThen(TestClock.setTime(Date.UTC(2026, 10, 27, 16)), test).pipe(Effect.provide(TestClock.layer()))

/** An active account with a session. The next code of the authenticator app is valid. */
export const activeOperator = Effect.fnUntraced(function* (name: string, role: Role = "supervisor") {
  const { token } = yield* inviteOperator({ name: OperatorName.make(name), role, email: null })
  const { secret } = yield* acceptInvitation(Redacted.value(token), password)
  const session = yield* confirmTotp(Redacted.value(token), yield* codeOf(secret), browser)
  yield* TestClock.adjust("30 seconds")
  return { name, secret, session: Redacted.value(session.token), invitation: Redacted.value(token) }
})

/**
 * Signs in to an account, by default with the right password and code. The options replace the origin, the password or
 * the code.
 */
export const signInTo = Effect.fnUntraced(function* (
  { name, secret }: { readonly name: string; readonly secret: string },
  {
    origin = browser,
    typed = password,
    code
  }: { readonly origin?: Origin; readonly typed?: Redacted.Redacted; readonly code?: string } = {}
) {
  return yield* signIn({ name, password: typed, code: code ?? (yield* codeOf(secret)), ...origin })
})
