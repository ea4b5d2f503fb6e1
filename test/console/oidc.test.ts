import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { OperatorName } from "../../core/domain/Operator.ts"
import { OperatorEmail } from "../../core/domain/OperatorAccount.ts"
import { changeOperator, inviteOperator, listOperators } from "../../core/workflows/ManageOperators.ts"
import { ConsoleAddress } from "../../facade/console/ConsoleServer.ts"
import { openIdProvider, type ProviderFault } from "../fakes/OpenIdProvider.ts"
import { callConsole, testConsole } from "./TestConsole.ts"

class Provider extends Context.Service<Provider, Effect.Success<typeof openIdProvider>>()("test/Provider") {}

const ConsoleWithProvider = Layer.unwrap(
  Provider.useSync(({ issuer }) =>
    testConsole({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: "saldo", OIDC_CLIENT_SECRET: "of-the-tests" })
  )
).pipe(Layer.provideMerge(Layer.effect(Provider, openIdProvider)))

const visit = (url: string, cookie?: string) =>
  Effect.promise(() => fetch(url, { redirect: "manual", headers: cookie === undefined ? {} : { cookie } }))

const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1).join(""))
    .join("; ")

/** Begins a sign-in. Returns the browser's cookie, and the address to which the provider redirects the browser. */
const begun = Effect.gen(function* () {
  const { url } = yield* ConsoleAddress
  const response = yield* visit(`${url}/oidc/entrar`)
  assert.strictEqual(response.status, 303)
  const atProvider = yield* visit(response.headers.get("location") ?? "")
  return { response, cookie: cookiesOf(response), back: atProvider.headers.get("location") ?? "" }
})

const enter = Effect.gen(function* () {
  const { back, cookie } = yield* begun
  return yield* visit(back, cookie)
})

const invited = (name: string, email: string) =>
  inviteOperator({ name: OperatorName.make(name), role: "supervisor", email: OperatorEmail.make(email) })

const stateOf = (name: string) =>
  Effect.map(listOperators, (all) => all.find((account) => account.name === name)?.state)

layer(ConsoleWithProvider, { excludeTestServices: true })("signing in with an identity provider", (it) => {
  it.effect("opens a session of the invited account with the confirmed e-mail address", () =>
    Effect.gen(function* () {
      const { state } = yield* Provider
      yield* invited("Eva", "eva@example.com")
      state.person = { sub: "eva-1", email: "EVA@example.com", email_verified: true }
      const entered = yield* enter
      assert.strictEqual(entered.status, 200)
      assert.include(yield* Effect.promise(() => entered.text()), 'http-equiv="refresh" content="0; url=/"')
      const browser = { name: "Eva", cookie: cookiesOf(entered), csrf: "" }
      const { data } = yield* callConsole("sesion.actual", { browser })
      assert.deepInclude(data, { nombre: "Eva", rol: "supervisor", cuenta: true })
      assert.strictEqual(yield* stateOf("Eva"), "active")
      assert.isTrue((yield* callConsole("sesion.medios")).data.oidc)
      yield* changeOperator("Eva", { isSuspended: true })
      assert.strictEqual((yield* enter).status, 403)
      assert.isNull((yield* callConsole("sesion.actual", { browser })).data)
      yield* changeOperator("Eva", { isSuspended: false })
    })
  )

  it.effect("keeps its secrets in a cookie that scripts cannot read and that lasts ten minutes", () =>
    Effect.gen(function* () {
      const { response } = yield* begun
      const [cookie = ""] = response.headers.getSetCookie()
      assert.match(cookie, /^saldo-oidc=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)
      const { searchParams } = new URL(response.headers.get("location") ?? "")
      assert.strictEqual(searchParams.get("code_challenge_method"), "S256")
      assert.strictEqual(searchParams.get("prompt"), "login")
    })
  )

  it.effect("opens no session for a person without an invited account", () =>
    Effect.gen(function* () {
      const { state } = yield* Provider
      yield* invited("Rita", "rita@example.com")
      for (const person of [
        { sub: "2" },
        { sub: "2", email: "nadie@example.com", email_verified: true },
        { sub: "2", email: "rita@example.com", email_verified: false }
      ]) {
        state.person = person
        const refused = yield* enter
        assert.deepStrictEqual([refused.status, cookiesOf(refused)], [403, ""])
      }
      assert.strictEqual(yield* stateOf("Rita"), "invited")
    })
  )

  const faults: ReadonlyArray<ProviderFault> = [
    "another audience",
    "another issuer",
    "another nonce",
    "another signature",
    "expired",
    "no id token",
    "denied"
  ]

  it.effect.each(faults)("is refused if the provider's answer has this fault: %s", (fault) =>
    Effect.gen(function* () {
      const { state } = yield* Provider
      state.person = { sub: "eva-1" }
      state.fault = fault
      const refused = yield* enter
      state.fault = null
      assert.deepStrictEqual([refused.status, cookiesOf(refused)], [403, ""])
      assert.strictEqual((yield* enter).status, 200)
    })
  )

  it.effect(
    "is refused if another browser completes it, if the state differs, or if the sign-in was already completed",
    () =>
      Effect.gen(function* () {
        const { state } = yield* Provider
        state.person = { sub: "eva-1" }
        const { back, cookie } = yield* begun
        const other = yield* begun
        const forged = new URL(back)
        forged.searchParams.set("state", "x")
        for (const [address, given] of [
          [back, undefined],
          [back, other.cookie],
          [back, "saldo-oidc=e30"],
          [forged.href, cookie]
        ] as const) {
          assert.strictEqual((yield* visit(address, given)).status, 403, `${address} ${given}`)
        }
        const again = yield* begun
        assert.strictEqual((yield* visit(again.back, again.cookie)).status, 200)
        assert.strictEqual((yield* visit(again.back, again.cookie)).status, 403)
      })
  )

  it.effect("shows the provider's error as plain text, not as markup", () =>
    Effect.gen(function* () {
      const { cookie } = yield* begun
      const { url } = yield* ConsoleAddress
      const markup = encodeURIComponent("<img src=x>")
      const response = yield* visit(`${url}/oidc/vuelta?error=${markup}&error_description=${markup}&state=x`, cookie)
      assert.strictEqual(response.status, 403)
      assert.notInclude(yield* Effect.promise(() => response.text()), "<img")
    })
  )
})

layer(testConsole(), { excludeTestServices: true })("a console without identity provider", (it) => {
  it.effect("reports that no provider is configured", () =>
    Effect.gen(function* () {
      const { url } = yield* ConsoleAddress
      assert.isFalse((yield* callConsole("sesion.medios")).data.oidc)
      const response = yield* visit(`${url}/oidc/entrar`)
      assert.strictEqual(response.status, 403)
      assert.include(yield* Effect.promise(() => response.text()), "no hay ninguno configurado")
    })
  )
})
