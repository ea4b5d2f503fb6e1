import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { TOTP } from "otpauth"
import { OperatorName, type Role } from "../../core/domain/Operator.ts"
import { localLink } from "../../core/workflows/AcceptInvitation.ts"
import { changeOperator, inviteOperator } from "../../core/workflows/ManageOperators.ts"
import { sessionCookie, sessionTokenIn } from "../../facade/console/Browser.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { anotherConsole, type Browser, callConsole, signedIn, testConsole } from "./TestConsole.ts"

const password = "una clave muy larga"

/** The code that an authenticator app shows now. */
const codeOf = (secret: string) =>
  Effect.map(Clock.currentTimeMillis, (timestamp) => new TOTP({ secret }).generate({ timestamp }))

/** The cookie that a response sets, without its attributes. */
const cookieIn = ({ headers }: { readonly headers: Headers }) => headers.get("set-cookie")?.replace(/;.*/, "") ?? ""

const sessionIn = Effect.fnUntraced(function* (cookie: string, headers: Readonly<Record<string, string>> = {}) {
  return (yield* callConsole("sesion.actual", { headers: { cookie, ...headers } })).data
})

/** Invites an operator, who chooses a password and confirms the authenticator app. */
const accepted = Effect.fnUntraced(function* (name: string, role: Role) {
  const { token } = yield* inviteOperator({ name: OperatorName.make(name), role, email: null })
  const enlace = Redacted.value(token)
  const shown = yield* callConsole("sesion.invitacion", { input: { enlace } })
  const { data } = yield* callConsole("sesion.aceptar", { input: { enlace, clave: password } })
  const codigo = yield* codeOf(data.secreto)
  const confirmed = yield* callConsole("sesion.confirmarCodigo", { input: { enlace, codigo } })
  return { enlace, secret: data.secreto as string, invitation: shown.data, confirmed }
})

const signInAs = Effect.fnUntraced(function* (name: string, secret: string, clave = password) {
  const codigo = yield* codeOf(secret)
  return yield* callConsole("sesion.entrar", { input: { nombre: name, clave, codigo } })
})

const isIn = ({ cookie }: Browser, isUse: boolean) =>
  Effect.map(sessionIn(cookie, isUse ? { "x-saldo-uso": "1" } : {}), (session) => session !== null)

describe("a session of the console", () => {
  layer(testConsole(), { excludeTestServices: true })((it) => {
    it.effect("begins with an invitation, which works once, and later with password and code", () =>
      Effect.gen(function* () {
        const { confirmed, enlace, invitation, secret } = yield* accepted("Ana", "supervisor")
        assert.deepInclude(invitation, { nombre: "Ana", rol: "supervisor" })
        assert.deepInclude(yield* sessionIn(cookieIn(confirmed)), { nombre: "Ana", rol: "supervisor", cuenta: true })
        assert.strictEqual((yield* callConsole("sesion.invitacion", { input: { enlace } })).code, "ENLACE_INVALIDO")
        yield* ManualClock.use(({ pass }) => pass("1 minute"))
        const again = yield* signInAs("Ana", secret)
        assert.strictEqual((yield* sessionIn(cookieIn(again))).nombre, "Ana")
      })
    )

    it.effect("does not begin with a weak password, a wrong code, a wrong password or an unknown name", () =>
      Effect.gen(function* () {
        const { token } = yield* inviteOperator({ name: OperatorName.make("Berto"), role: "lector", email: null })
        const enlace = Redacted.value(token)
        const weak = yield* callConsole("sesion.aceptar", { input: { enlace, clave: "corta" } })
        assert.deepStrictEqual([weak.status, weak.code], [422, "CLAVE_RECHAZADA"])
        yield* callConsole("sesion.aceptar", { input: { enlace, clave: password } })
        const wrongCode = yield* callConsole("sesion.confirmarCodigo", { input: { enlace, codigo: "000000" } })
        assert.strictEqual(wrongCode.code, "CODIGO_INCORRECTO")
        const { secret } = yield* accepted("Carla", "lector")
        yield* ManualClock.use(({ pass }) => pass("1 minute"))
        for (const refused of [
          yield* signInAs("Carla", secret, "otra clave muy larga"),
          yield* signInAs("Nadie", secret)
        ]) {
          assert.deepStrictEqual([refused.status, refused.code], [401, "ENTRADA_RECHAZADA"])
          assert.isNull(refused.headers.get("set-cookie"))
        }
      })
    )

    it.effect("does not begin after five failed attempts for the account, even with the right password", () =>
      Effect.gen(function* () {
        const { secret } = yield* accepted("Delia", "lector")
        yield* ManualClock.use(({ pass }) => pass("20 minutes"))
        for (const _ of Array(5)) yield* signInAs("Delia", secret, "otra clave muy larga")
        const blocked = yield* signInAs("Delia", secret)
        assert.deepStrictEqual([blocked.status, blocked.code], [429, "DEMASIADOS_INTENTOS"])
      })
    )

    it.effect("has a cookie that scripts cannot read and that other sites do not send", () =>
      Effect.gen(function* () {
        const { confirmed } = yield* accepted("Elsa", "lector")
        const [, ...attributes] = (confirmed.headers.get("set-cookie") ?? "").split("; ")
        assert.sameMembers(attributes, ["Path=/", "HttpOnly", "SameSite=Strict"])
      })
    )

    it.effect("is valid in two console processes at the same time", () =>
      Effect.gen(function* () {
        const browser = yield* signedIn("cajero")
        const onOther = yield* anotherConsole
        assert.isTrue(yield* isIn(browser, true))
        assert.isTrue(yield* onOther(isIn(browser, true)))
        yield* onOther(callConsole("sesion.salir", { browser }))
        assert.isFalse(yield* isIn(browser, true))
      })
    )

    it.effect("has a changed role from the next call on, and ends when the operator is suspended", () =>
      Effect.gen(function* () {
        const browser = yield* signedIn("cajero")
        yield* changeOperator(browser.name, { role: "lector" })
        assert.strictEqual((yield* sessionIn(browser.cookie)).rol, "lector")
        yield* changeOperator(browser.name, { isSuspended: true })
        assert.isFalse(yield* isIn(browser, true))
      })
    )

    it.effect("ends after 30 minutes without use, and requests that the page makes by itself do not count as use", () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const browser = yield* signedIn("lector")
        yield* pass("29 minutes")
        assert.isTrue(yield* isIn(browser, true))
        yield* pass("29 minutes")
        assert.isTrue(yield* isIn(browser, false))
        yield* pass("2 minutes")
        assert.isFalse(yield* isIn(browser, true))
      })
    )

    it.effect("ends after 12 hours of use", () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const browser = yield* signedIn("lector")
        for (const _ of Array(35)) {
          yield* pass("20 minutes")
          assert.isTrue(yield* isIn(browser, true))
        }
        yield* pass("20 minutes")
        assert.isFalse(yield* isIn(browser, true))
      })
    )

    it.effect("needs the password again for a change after 10 minutes", () =>
      Effect.gen(function* () {
        const { confirmed } = yield* accepted("Fani", "admin")
        const cookie = cookieIn(confirmed)
        const browser = { name: "Fani", cookie, csrf: (yield* sessionIn(cookie)).ficha as string }
        const change = callConsole("empresas.cambiar", { browser, input: { empresa_id: 999 } })
        assert.notStrictEqual((yield* change).code, "CONFIRME_CLAVE")
        yield* ManualClock.use(({ pass }) => pass("11 minutes"))
        assert.deepStrictEqual([(yield* change).status, (yield* change).code], [401, "CONFIRME_CLAVE"])
        const wrong = yield* callConsole("sesion.confirmar", { browser, input: { clave: "otra clave muy larga" } })
        assert.strictEqual(wrong.code, "ENTRADA_RECHAZADA")
        yield* callConsole("sesion.confirmar", { browser, input: { clave: password } })
        assert.notStrictEqual((yield* change).code, "CONFIRME_CLAVE")
      })
    )

    it.effect("does not begin with a one-time link once an admin has an account", () =>
      Effect.gen(function* () {
        yield* signedIn("admin")
        assert.isNull(yield* localLink())
        const refused = yield* callConsole("sesion.abrirEnlace", { input: { enlace: "nada" } })
        assert.deepStrictEqual([refused.status, refused.code], [404, "ENLACE_INVALIDO"])
      })
    )
  })
})

describe("the session cookie", () => {
  const local = "http://localhost:3080"
  const tls = "https://consola.example.com"
  const token = Redacted.make("abc")

  it.each([
    { origin: local, cookie: "saldo=abc; Path=/; HttpOnly; SameSite=Strict" },
    { origin: tls, cookie: "__Host-saldo=abc; Path=/; HttpOnly; SameSite=Strict; Secure" }
  ])("is written as $cookie for $origin", ({ cookie, origin }) => {
    assert.strictEqual(sessionCookie(token, origin), cookie)
  })

  it.each([
    { cookies: "a=1; saldo=abc", origin: local, found: "abc" },
    { cookies: "__Host-saldo=abc; saldo=other", origin: tls, found: "abc" },
    { cookies: "saldo=abc", origin: tls, found: undefined },
    { cookies: "saldo=abc; saldo=other", origin: local, found: undefined },
    { cookies: undefined, origin: local, found: undefined }
  ])("is read from $cookies at $origin as $found", ({ cookies, found, origin }) => {
    const read = sessionTokenIn(cookies, origin)
    assert.strictEqual(read === undefined ? undefined : Redacted.value(read), found)
  })
})
