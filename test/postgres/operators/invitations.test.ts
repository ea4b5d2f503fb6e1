import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { OperatorName, type Role } from "../../../core/domain/Operator.ts"
import { OperatorEmail } from "../../../core/domain/OperatorAccount.ts"
import {
  acceptInvitation,
  confirmTotp,
  invitationOf,
  signInWithOidc
} from "../../../core/workflows/AcceptInvitation.ts"
import {
  changeOperator,
  inviteOperator,
  listOperators,
  reinviteOperator
} from "../../../core/workflows/ManageOperators.ts"
import { sessionOf } from "../../../core/workflows/SignIn.ts"
import { atOnce, tagsOf } from "../../support/Concurrency.ts"
import { actingAs } from "../../support/OperatorAccounts.ts"
import { AccountsLayer, activeOperator, atNoon, browser, codeOf, password, signInTo } from "./Accounts.ts"

const invited = (name: string, role: Role = "cajero", email: string | null = null) =>
  Effect.map(
    inviteOperator({
      name: OperatorName.make(name),
      role,
      email: email === null ? null : OperatorEmail.make(email)
    }),
    ({ token }) => Redacted.value(token)
  )

const stateOf = (name: string) =>
  Effect.map(listOperators, (all) => all.find((account) => account.name === name)?.state)

layer(AccountsLayer, { excludeTestServices: true })("an invitation", (it) => {
  it.effect("makes the account active once password and authenticator app are confirmed", () =>
    Effect.gen(function* () {
      const token = yield* invited("Ana")
      const { name, role } = yield* invitationOf(token)
      assert.deepStrictEqual([name, role], ["Ana", "cajero"])
      const { secret, uri } = yield* acceptInvitation(token, password)
      assert.match(uri, /^otpauth:\/\/totp\/Saldo:Ana\?issuer=Saldo&secret=/)
      assert.strictEqual(yield* stateOf("Ana"), "invited", "nothing is active before the code")
      assert.strictEqual((yield* Effect.flip(confirmTotp(token, "000000", browser)))._tag, "CodeRefused")
      const { actor } = yield* confirmTotp(token, yield* codeOf(secret), browser)
      assert.deepInclude(actor, { name: "Ana", role: "cajero" })
      assert.strictEqual(yield* stateOf("Ana"), "active")
      assert.strictEqual((yield* Effect.flip(invitationOf(token)))._tag, "InvitationRefused")
      // The code was already used for the confirmation.
      assert.strictEqual((yield* Effect.flip(signInTo({ name: "Ana", secret })))._tag, "SignInRefused")
    }).pipe(atNoon)
  )

  it.effect("is valid for 24 hours", () =>
    Effect.gen(function* () {
      const token = yield* invited("Tarde")
      yield* TestClock.adjust("86399 seconds")
      const { secret } = yield* acceptInvitation(token, password)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Effect.flip(acceptInvitation(token, password)))._tag, "InvitationRefused")
      const code = yield* codeOf(secret)
      assert.strictEqual((yield* Effect.flip(confirmTotp(token, code, browser)))._tag, "InvitationRefused")
    }).pipe(atNoon)
  )

  it.effect("is accepted once if two browsers confirm it at the same time", () =>
    Effect.gen(function* () {
      const token = yield* invited("Doble")
      const { secret } = yield* acceptInvitation(token, password)
      const code = yield* codeOf(secret)
      const services = yield* Effect.context<Effect.Services<ReturnType<typeof confirmTotp>>>()
      const both = [1, 2].map(() => Effect.provide(confirmTotp(token, code, browser), services))
      assert.deepStrictEqual(tagsOf(yield* atOnce(both)), ["InvitationRefused", "done"])
    }).pipe(atNoon)
  )

  it.effect.each([
    ["short", "x".repeat(11)],
    ["long", "abcde".repeat(41)],
    ["simple", "abababababababab"],
    ["name", "soy CLARIDAD y no otra"]
  ] as const)("refuses a password for the reason: %s", ([why, typed]) =>
    Effect.gen(function* () {
      const token = why === "short" ? yield* invited("Claridad") : (yield* reinviteOperator("Claridad")).token
      const given = typeof token === "string" ? token : Redacted.value(token)
      assert.deepInclude(yield* Effect.flip(acceptInvitation(given, Redacted.make(typed))), {
        _tag: "PasswordRefused",
        why
      })
    }).pipe(atNoon)
  )

  it.effect("to an existing account removes the credentials, sessions and earlier invitation of the account", () =>
    Effect.gen(function* () {
      const operator = yield* activeOperator("Pierde")
      const first = Redacted.value((yield* reinviteOperator("Pierde")).token)
      assert.strictEqual(yield* stateOf("Pierde"), "invited")
      assert.strictEqual((yield* Effect.flip(signInTo(operator)))._tag, "SignInRefused")
      assert.strictEqual((yield* Effect.flip(sessionOf(operator.session, null)))._tag, "SignedOut")
      const second = Redacted.value((yield* reinviteOperator("pierde")).token)
      assert.strictEqual((yield* Effect.flip(invitationOf(first)))._tag, "InvitationRefused")
      yield* acceptInvitation(second, password)
      yield* changeOperator("Pierde", { isSuspended: true })
      assert.strictEqual((yield* Effect.flip(invitationOf(second)))._tag, "InvitationRefused")
    }).pipe(atNoon)
  )

  it.effect("is made only by admins, and only once for a name or e-mail address in any spelling", () =>
    Effect.gen(function* () {
      const notAllowed = yield* Effect.flip(invited("Nueva").pipe(actingAs("turno-1", "supervisor")))
      assert.deepInclude(notAllowed, { _tag: "NotAllowed", action: "operator", role: "supervisor", isSignedIn: true })
      yield* invited("Peña", "lector", "pena@example.com")
      assert.strictEqual((yield* Effect.flip(invited("PEÑA")))._tag, "OperatorNameTaken")
      const sameEmail = yield* Effect.flip(invited("Otra", "lector", "Pena@Example.com"))
      assert.strictEqual(sameEmail._tag, "OperatorEmailTaken")
    }).pipe(atNoon)
  )
})

layer(AccountsLayer, { excludeTestServices: true })("an identity provider", (it) => {
  const identity = { issuer: "https://id.example.com", subject: "7", email: "eva@example.com" }

  it.effect("opens the invited account by its confirmed e-mail address, and later by issuer and subject", () =>
    Effect.gen(function* () {
      yield* invited("Eva", "supervisor", "Eva@example.com")
      const { actor } = yield* signInWithOidc(identity, browser)
      assert.deepInclude(actor, { name: "Eva", role: "supervisor" })
      assert.strictEqual(yield* stateOf("Eva"), "active")
      yield* signInWithOidc({ ...identity, email: null }, browser)
      // Another person with the same e-mail address does not get the account.
      const other = yield* Effect.flip(signInWithOidc({ ...identity, subject: "8" }, browser))
      assert.strictEqual(other._tag, "SignInRefused")
      const elsewhere = yield* Effect.flip(
        signInWithOidc({ ...identity, issuer: "https://other.example.com" }, browser)
      )
      assert.strictEqual(elsewhere._tag, "SignInRefused")
      yield* changeOperator("Eva", { isSuspended: true })
      assert.strictEqual((yield* Effect.flip(signInWithOidc(identity, browser)))._tag, "SignInRefused")
    }).pipe(atNoon)
  )

  it.effect("opens no session for a person who has no invited account", () =>
    Effect.gen(function* () {
      yield* invited("Sin correo")
      for (const email of [null, "nadie@example.com"]) {
        const refused = yield* Effect.flip(signInWithOidc({ issuer: "i", subject: "9", email }, browser))
        assert.strictEqual(refused._tag, "SignInRefused")
      }
    }).pipe(atNoon)
  )
})

layer(AccountsLayer, { excludeTestServices: true })("an admin", (it) => {
  it.effect("keeps account and role if no other admin is active, even if two admins are suspended together", () =>
    Effect.gen(function* () {
      yield* activeOperator("Ana", "admin")
      const suspend = (name: string) => changeOperator(name, { isSuspended: true })
      assert.strictEqual((yield* Effect.flip(suspend("Ana")))._tag, "LastAdmin")
      assert.strictEqual((yield* Effect.flip(changeOperator("Ana", { role: "supervisor" })))._tag, "LastAdmin")
      // Until a new invitation is accepted, the account is not active.
      assert.strictEqual((yield* Effect.flip(reinviteOperator("Ana")))._tag, "LastAdmin")
      assert.strictEqual(yield* stateOf("Ana"), "active")
      yield* activeOperator("Beto", "admin")
      const services = yield* Effect.context<Effect.Services<ReturnType<typeof suspend>>>()
      const both = ["Ana", "Beto"].map((name) => Effect.provide(suspend(name), services))
      assert.deepStrictEqual(tagsOf(yield* atOnce(both)), ["LastAdmin", "done"])
    }).pipe(atNoon)
  )

  it.effect("finds each change of an account in the audit log, with the values before and after", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* invited("Rol", "lector")
      yield* changeOperator("Rol", { role: "cajero" }).pipe(actingAs("Ana", "admin"))
      const events = yield* sql`
        select actor, via, address, details -> 'before' as before, details -> 'after' as after
        from directory.audit_event
        where action = 'operator_changed' and details ->> 'name' = 'Rol'`
      assert.deepStrictEqual(events, [
        {
          actor: "Ana",
          via: "console",
          address: "203.0.113.7",
          before: { role: "lector", suspended: false },
          after: { role: "cajero", suspended: false }
        }
      ])
    }).pipe(atNoon)
  )
})
