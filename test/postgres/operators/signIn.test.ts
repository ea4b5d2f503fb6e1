import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { signInWithOidc } from "../../../core/workflows/AcceptInvitation.ts"
import { changeOperator } from "../../../core/workflows/ManageOperators.ts"
import { sessionOf } from "../../../core/workflows/SignIn.ts"
import { atOnce, tagsOf } from "../../support/Concurrency.ts"
import { AccountsLayer, activeOperator, atNoon, browser, codeOf, password, signInTo, verified } from "./Accounts.ts"

const wrong = Redacted.make("not the password")

layer(AccountsLayer, { excludeTestServices: true })("signing in", (it) => {
  it.effect("opens a session with the operator's name and role", () =>
    Effect.gen(function* () {
      const ana = yield* activeOperator("Ana")
      const { token } = yield* signInTo({ ...ana, name: " ANA" })
      const { actor } = yield* sessionOf(Redacted.value(token), "203.0.113.9")
      assert.deepInclude(actor, { name: "Ana", role: "supervisor", via: "console", address: "203.0.113.9" })
    }).pipe(atNoon)
  )

  describe("is refused with the same error", () => {
    it.effect.each([
      ["an unknown name", { name: "Nadie" }, {}],
      ["a wrong password", {}, { typed: wrong }],
      ["a wrong code", {}, { code: "000000" }],
      ["a code that is no number", {}, { code: "' or 1=1" }],
      ["an empty code", {}, { code: "" }]
    ] as const)("with %s", ([what, other, typed]) =>
      Effect.gen(function* () {
        const operator = yield* activeOperator(`Op ${what.replace(/\W/g, " ").slice(0, 20).trim()}`)
        const refused = yield* Effect.flip(signInTo({ ...operator, ...other }, typed))
        assert.strictEqual(refused._tag, "SignInRefused")
      }).pipe(atNoon)
    )

    it.effect("to a suspended account", () =>
      Effect.gen(function* () {
        const operator = yield* activeOperator("Suspendida")
        yield* changeOperator("Suspendida", { isSuspended: true })
        assert.strictEqual((yield* Effect.flip(signInTo(operator)))._tag, "SignInRefused")
      }).pipe(atNoon)
    )
  })

  it.effect("runs one password verification for an unknown name, as for a wrong password", () =>
    Effect.gen(function* () {
      const operator = yield* activeOperator("Medida")
      verified.splice(0)
      yield* Effect.flip(signInTo({ ...operator, name: "Desconocida" }))
      yield* Effect.flip(signInTo(operator, { typed: wrong }))
      assert.deepStrictEqual(verified, [null, `plain ${Redacted.value(password)}`])
    }).pipe(atNoon)
  )

  // How many steps of thirty seconds the code is ahead of the clock, and whether the code is accepted.
  it.effect.each([
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false]
  ] as const)("accepts a code that is %i steps of thirty seconds ahead: %s", ([steps, accepted]) =>
    Effect.gen(function* () {
      const operator = yield* activeOperator(`Reloj ${steps + 2}`)
      yield* TestClock.adjust("2 minutes")
      const code = yield* codeOf(operator.secret, steps)
      const result = yield* Effect.result(signInTo(operator, { code }))
      assert.strictEqual(result._tag, accepted ? "Success" : "Failure")
    }).pipe(atNoon)
  )

  it.effect("accepts a code once, even if two browsers send it at the same time", () =>
    Effect.gen(function* () {
      const operator = yield* activeOperator("Dos a la vez")
      const services = yield* Effect.context<Effect.Services<ReturnType<typeof signInTo>>>()
      const both = [1, 2].map(() => Effect.provide(signInTo(operator), services))
      assert.deepStrictEqual(tagsOf(yield* atOnce(both)), ["SignInRefused", "done"])
      assert.strictEqual((yield* Effect.flip(signInTo(operator)))._tag, "SignInRefused")
      // An earlier code is no longer accepted either.
      const earlier = yield* codeOf(operator.secret, -1)
      assert.strictEqual((yield* Effect.flip(signInTo(operator, { code: earlier })))._tag, "SignInRefused")
      yield* TestClock.adjust("30 seconds")
      yield* signInTo(operator)
    }).pipe(atNoon)
  )

  it.effect("stores neither password, code nor tokens in readable form", () =>
    Effect.gen(function* () {
      const operator = yield* activeOperator("Discreta")
      yield* Effect.flip(signInTo({ ...operator, name: "my password by mistake" }))
      const sql = yield* PgClient.PgClient
      const [row] = yield* sql<{ stored: string }>`
        select concat(
          (select string_agg(o::text, '') from directory.operator as o where o.name <> 'Discreta'),
          (select string_agg(s::text, '') from directory.operator_session as s),
          (select string_agg(i::text, '') from directory.operator_invitation as i),
          (select string_agg(a::text, '') from directory.sign_in_attempt as a),
          (select string_agg(e::text, '') from directory.audit_event as e)
        ) as stored`
      const stored = row?.stored ?? ""
      assert.include(stored, "sign_in_refused")
      for (const secret of [operator.secret, operator.session, operator.invitation, "by mistake"])
        assert.notInclude(stored, secret)
    }).pipe(atNoon)
  )
})

layer(AccountsLayer, { excludeTestServices: true })("failed sign-ins", (it) => {
  it.effect("are in the audit log with the address, and with the operator if the name has an account", () =>
    Effect.gen(function* () {
      const operator = yield* activeOperator("Anotada")
      const origin = { ...browser, address: "198.51.100.9" }
      yield* Effect.flip(signInTo(operator, { origin, typed: wrong }))
      yield* Effect.flip(signInTo({ ...operator, name: "Nadie" }, { origin }))
      const identity = { issuer: "https://id.example.com", subject: "9", email: null }
      yield* Effect.flip(signInWithOidc(identity, origin))
      const sql = yield* PgClient.PgClient
      const events = yield* sql`
        select actor, via, details from directory.audit_event where address = ${origin.address} order by id`
      assert.deepStrictEqual(
        events,
        [{ operator: "Anotada" }, { operator: null }, { issuer: identity.issuer, subject: identity.subject }].map(
          (details) => ({ actor: "server", via: "console", details })
        )
      )
    }).pipe(atNoon)
  )

  it.effect("block the account after five failures, until fifteen minutes after the first failure", () =>
    Effect.gen(function* () {
      const operator = yield* activeOperator("Bloqueada")
      for (let nth = 0; nth < 5; nth++) {
        assert.strictEqual((yield* Effect.flip(signInTo(operator, { typed: wrong })))._tag, "SignInRefused")
        yield* TestClock.adjust("1 minute")
      }
      // The right password from another address is refused too.
      const origin = { ...browser, address: "198.51.100.1" }
      const refused = yield* Effect.flip(signInTo(operator, { origin }))
      assert.deepInclude(refused, { _tag: "TooManyAttempts", seconds: 600 })
      yield* TestClock.adjust("599 seconds")
      assert.deepInclude(yield* Effect.flip(signInTo(operator)), { _tag: "TooManyAttempts", seconds: 1 })
      yield* TestClock.adjust("1 second")
      yield* signInTo(operator)
      // A successful sign-in resets the count of failures.
      for (let nth = 0; nth < 5; nth++) {
        assert.strictEqual((yield* Effect.flip(signInTo(operator, { typed: wrong })))._tag, "SignInRefused")
      }
    }).pipe(atNoon)
  )

  it.effect("block the address after twenty failures, even if each had another name", () =>
    Effect.gen(function* () {
      const operator = yield* activeOperator("Vecina")
      const origin = { ...browser, address: "198.51.100.2" }
      for (let nth = 0; nth < 20; nth++) {
        const refused = yield* Effect.flip(signInTo({ ...operator, name: `Nadie ${nth}` }, { origin }))
        assert.strictEqual(refused._tag, "SignInRefused")
      }
      const refused = yield* Effect.flip(signInTo(operator, { origin }))
      assert.deepInclude(refused, { _tag: "TooManyAttempts", seconds: 900 })
      yield* signInTo(operator)
    }).pipe(atNoon)
  )

  it.effect("are all counted when they run at the same time", () =>
    Effect.gen(function* () {
      const operator = yield* activeOperator("Asaltada")
      const services = yield* Effect.context<Effect.Services<ReturnType<typeof signInTo>>>()
      const attempt = Effect.provide(signInTo(operator, { typed: wrong }), services)
      const results = yield* atOnce(Array.from({ length: 12 }, () => attempt))
      assert.deepStrictEqual(tagsOf(results), [
        ...Array<string>(5).fill("SignInRefused"),
        ...Array<string>(7).fill("TooManyAttempts")
      ])
    }).pipe(atNoon)
  )
})
