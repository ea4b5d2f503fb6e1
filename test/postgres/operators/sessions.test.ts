import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { CurrentActor } from "../../../core/ports/CurrentActor.ts"
import { localLink, openLocalLink } from "../../../core/workflows/AcceptInvitation.ts"
import {
  changeOperator,
  issueOperatorToken,
  reinviteOperator,
  removeOperatorToken
} from "../../../core/workflows/ManageOperators.ts"
import { actorOfOperatorToken, reauthenticate, sessionOf, signOut } from "../../../core/workflows/SignIn.ts"
import { AccountsLayer, activeOperator, atNoon, browser, password } from "./Accounts.ts"

const isOpen = (token: string) =>
  sessionOf(token, null, false).pipe(
    Effect.as(true),
    Effect.catchTag("SignedOut", () => Effect.succeed(false))
  )

layer(AccountsLayer, { excludeTestServices: true })("a session", (it) => {
  it.effect("ends 30 minutes after its last use", () =>
    Effect.gen(function* () {
      const { session } = yield* activeOperator("Ociosa")
      yield* TestClock.adjust("29 minutes")
      yield* sessionOf(session, null)
      yield* TestClock.adjust("29 minutes")
      // A request that the page makes by itself does not prolong the session.
      yield* sessionOf(session, null, false)
      yield* TestClock.adjust("59 seconds")
      assert.isTrue(yield* isOpen(session))
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* isOpen(session))
    }).pipe(atNoon)
  )

  it.effect("ends 12 hours after the sign-in, however much it is used", () =>
    Effect.gen(function* () {
      const { session } = yield* activeOperator("Activa")
      for (let nth = 0; nth < 71; nth++) {
        yield* TestClock.adjust("10 minutes")
        yield* sessionOf(session, null)
      }
      yield* TestClock.adjust("9 minutes")
      assert.isTrue(yield* isOpen(session))
      yield* TestClock.adjust("30 seconds")
      assert.isFalse(yield* isOpen(session))
    }).pipe(atNoon)
  )

  it.effect("ends when the operator signs out, is suspended, or gets a new invitation", () =>
    Effect.gen(function* () {
      const ends = [
        ["Sale", (session: string) => signOut(session, null)],
        ["Cae", () => changeOperator("Cae", { isSuspended: true })],
        ["Pierde", () => reinviteOperator("Pierde")]
      ] as const
      for (const [name, end] of ends) {
        const { session } = yield* activeOperator(name)
        assert.isTrue(yield* isOpen(session), name)
        yield* end(session)
        assert.isFalse(yield* isOpen(session), name)
      }
      yield* changeOperator("Cae", { isSuspended: false })
    }).pipe(atNoon)
  )

  it.effect("has the role that the operator has now", () =>
    Effect.gen(function* () {
      const { session } = yield* activeOperator("Asciende", "lector")
      yield* changeOperator("Asciende", { role: "cajero" })
      assert.strictEqual((yield* sessionOf(session, null)).actor.role, "cajero")
    }).pipe(atNoon)
  )

  it.effect("may make changes for 10 minutes after the password was typed", () =>
    Effect.gen(function* () {
      const { session } = yield* activeOperator("Cambia")
      yield* TestClock.adjust("9 minutes")
      assert.isTrue((yield* sessionOf(session, null)).isFresh)
      yield* TestClock.adjust("30 seconds")
      assert.isFalse((yield* sessionOf(session, null)).isFresh)
      const wrong = yield* Effect.flip(reauthenticate(session, Redacted.make("another password"), null))
      assert.strictEqual(wrong._tag, "SignInRefused")
      assert.isFalse((yield* sessionOf(session, null)).isFresh)
      yield* reauthenticate(session, password, null)
      assert.isTrue((yield* sessionOf(session, null)).isFresh)
    }).pipe(atNoon)
  )

  it.effect("blocks the account after five wrong passwords for a change", () =>
    Effect.gen(function* () {
      const { session } = yield* activeOperator("Prueba")
      const attempt = Effect.flip(reauthenticate(session, Redacted.make("another password"), browser.address))
      const tags = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => Effect.map(attempt, ({ _tag }) => _tag))
      assert.deepStrictEqual(tags, [...Array<string>(5).fill("SignInRefused"), "TooManyAttempts"])
    }).pipe(atNoon)
  )

  it.effect("has a CSRF token that differs from its session token and from the tokens of other sessions", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* activeOperator("Una"), yield* activeOperator("Otra")]
      const tokens = [yield* sessionOf(one.session, null), yield* sessionOf(other.session, null)].map(
        ({ csrf }) => csrf
      )
      assert.strictEqual(new Set([...tokens, one.session, other.session]).size, 4)
    }).pipe(atNoon)
  )

  it.effect("is not found by an unknown token", () =>
    Effect.gen(function* () {
      for (const token of ["", "x", "a".repeat(43)]) assert.isFalse(yield* isOpen(token))
    }).pipe(atNoon)
  )
})

layer(AccountsLayer, { excludeTestServices: true })("a token for OPERATOR_TOKEN", (it) => {
  it.effect("can be issued only by its operator, and does not work while the account is suspended", () =>
    Effect.gen(function* () {
      const { session } = yield* activeOperator("Robot")
      const { actor } = yield* sessionOf(session, null)
      const foreign = yield* Effect.flip(issueOperatorToken("Robot"))
      assert.strictEqual(foreign._tag, "NotOwnAccount")
      const issue = issueOperatorToken("robot").pipe(Effect.provideService(CurrentActor, actor))
      const [first, token] = [Redacted.value(yield* issue), Redacted.value(yield* issue)]
      const acts = (given: string) => Effect.option(actorOfOperatorToken(given, { via: "cli", address: "deploy" }))
      assert.strictEqual((yield* acts(first))._tag, "None", "the second replaces the first")
      const acting = yield* actorOfOperatorToken(token, { via: "cli", address: "deploy" })
      assert.deepStrictEqual(acting, { ...actor, via: "cli", address: "deploy" })
      yield* changeOperator("Robot", { isSuspended: true })
      assert.strictEqual((yield* acts(token))._tag, "None")
      yield* changeOperator("Robot", { isSuspended: false })
      assert.strictEqual((yield* acts(token))._tag, "Some")
      yield* removeOperatorToken("Robot")
      assert.strictEqual((yield* acts(token))._tag, "None")
    }).pipe(atNoon)
  )
})

layer(AccountsLayer, { excludeTestServices: true })("the one-time link that `npm start` prints", (it) => {
  it.effect("opens one session as the operator `local`, until an admin has an account", () =>
    Effect.gen(function* () {
      const earlier = Redacted.value((yield* localLink()) ?? Redacted.make(""))
      const link = Redacted.value((yield* localLink()) ?? Redacted.make(""))
      const open = (token: string) => Effect.result(openLocalLink(token, browser))
      assert.strictEqual((yield* open(earlier))._tag, "Failure", "a new start replaces the link")
      const opened = yield* openLocalLink(link, browser)
      assert.strictEqual((yield* open(link))._tag, "Failure", "the link works once")
      const session = Redacted.value(opened.token)
      const { actor, isFresh } = yield* sessionOf(session, "127.0.0.1")
      assert.deepStrictEqual(
        { ...actor, isFresh },
        { id: null, name: "local", role: "admin", via: "console", address: "127.0.0.1", isFresh: true }
      )
      yield* activeOperator("Beto", "supervisor")
      assert.isTrue(yield* isOpen(session), "a supervisor does not end it")
      const unused = Redacted.value((yield* localLink()) ?? Redacted.make(""))
      yield* activeOperator("Ana", "admin")
      assert.isFalse(yield* isOpen(session))
      assert.strictEqual((yield* open(unused))._tag, "Failure")
      assert.isNull(yield* localLink())
    }).pipe(atNoon)
  )

  it.effect("cannot be replaced by the invitation to an account", () =>
    Effect.gen(function* () {
      const { invitation } = yield* activeOperator("Eva")
      assert.strictEqual((yield* Effect.result(openLocalLink(invitation, browser)))._tag, "Failure")
    }).pipe(atNoon)
  )
})
