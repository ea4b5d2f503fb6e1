import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { TOTP } from "otpauth"
import { OperatorName } from "../../core/domain/Operator.ts"
import { inviteOperator } from "../../core/workflows/ManageOperators.ts"
import { isBrowserInstalled } from "../support/Chromium.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { consoleInBrowser, openPage, openPageAs, overflowOf, phone, seriousFaults } from "./ConsolePage.ts"

const password = "una clave muy larga"

const codeOf = (secret: string) =>
  Effect.map(Clock.currentTimeMillis, (timestamp) => new TOTP({ secret }).generate({ timestamp }))

describe.skipIf(!isBrowserInstalled())("the console in a browser", () => {
  layer(consoleInBrowser, { excludeTestServices: true })((it) => {
    it.effect("leads from the invitation to a password, an authenticator app and the panorama", () =>
      Effect.gen(function* () {
        const { token } = yield* inviteOperator({ name: OperatorName.make("Ana Luz"), role: "admin", email: null })
        const { faults, page } = yield* openPage(phone)
        yield* Effect.promise(async () => {
          await page.goto(`/invitacion#${Redacted.value(token)}`)
          await page.getByText("Ana Luz").waitFor()
          await page.getByLabel("Contraseña nueva").fill("corta")
          await page.getByRole("button", { name: "Continuar" }).click()
          await page.getByRole("alert").getByText("al menos 12 caracteres").waitFor()
        })
        assert.deepStrictEqual(yield* seriousFaults(page), [])
        const secret = yield* Effect.promise(async () => {
          await page.getByLabel("Contraseña nueva").fill(password)
          await page.getByRole("button", { name: "Continuar" }).click()
          await page.getByRole("img", { name: /Código QR/ }).waitFor()
          return (await page.locator("code.secret").textContent()) ?? ""
        })
        assert.deepStrictEqual(yield* seriousFaults(page), [])
        const code = yield* codeOf(secret)
        yield* Effect.promise(async () => {
          await page.getByLabel("Código de 6 dígitos").fill(code)
          await page.getByRole("button", { name: "Entrar" }).click()
          await page.getByText("Ana Luz · admin").waitFor()
        })
        assert.strictEqual(new URL(page.url()).pathname, "/")
        assert.deepStrictEqual([...faults], [])
      })
    )

    it.effect("shows the sign-in page if there is no session, and refuses wrong credentials", () =>
      Effect.gen(function* () {
        const { faults, page } = yield* openPage({ colorScheme: "dark" })
        yield* Effect.promise(async () => {
          await page.goto("/operadores")
          await page.getByLabel("Nombre").fill("Nadie")
          await page.getByLabel("Contraseña").fill(password)
          await page.getByLabel("Código de 6 dígitos").fill("123456")
          await page.keyboard.press("Enter")
          await page.getByRole("alert").getByText("no son correctos").waitFor()
        })
        assert.deepStrictEqual(yield* seriousFaults(page), [])
        assert.deepStrictEqual([...faults], [])
      })
    )

    it.effect.each([
      { mode: "light on a screen", options: {} },
      { mode: "dark on a phone", options: { ...phone, colorScheme: "dark" as const } }
    ])("has no serious fault of accessibility on any page, $mode", ({ options }) =>
      Effect.gen(function* () {
        const { faults, page } = yield* openPageAs("admin", options)
        yield* Effect.promise(async () => {
          await page.goto("/")
          await page.getByRole("navigation", { name: "Páginas de la consola" }).waitFor()
        })
        const links = yield* Effect.promise(() =>
          page.locator("nav.main a").evaluateAll((found) => found.map((link) => link.getAttribute("href") ?? ""))
        )
        assert.includeMembers(links, ["/", "/empresas", "/catalogo", "/operadores"])
        for (const link of links) {
          yield* Effect.promise(async () => {
            await page.goto(link)
            await page.getByRole("heading", { level: 1 }).waitFor()
            await page.getByText("Cargando…").first().waitFor({ state: "detached" })
          })
          assert.deepStrictEqual(yield* seriousFaults(page), [], link)
          assert.isAtMost(yield* overflowOf(page), 0, `${link} scrolls sideways`)
        }
        assert.deepStrictEqual([...faults], [])
      })
    )

    it.effect("creates a company, deposits money, and shows the secret of a new token once", () =>
      Effect.gen(function* () {
        const { faults, page } = yield* openPageAs("admin")
        yield* Effect.promise(async () => {
          await page.goto("/empresas")
          await page.getByRole("button", { name: "Empresa nueva" }).click()
          await page.getByLabel("Razón social").fill("Colmado Luz, S.R.L.")
          await page.getByLabel("Código").fill("LUZ")
          await page.getByRole("button", { name: "Crear" }).click()
          await page.getByRole("button", { name: "Depositar" }).click()
          await page.getByLabel("Monto en pesos").fill("1500.50")
          await page.getByLabel("Referencia").fill("T-1")
          await page.getByRole("dialog").getByRole("button", { name: "Depositar" }).click()
          await page.getByText("Registrado. Disponible: RD$ 1,500.50.").waitFor()
          await page.getByRole("cell", { name: "RD$ 1,500.50" }).first().waitFor()
          await page.getByRole("button", { name: "Token nuevo" }).click()
          await page.getByLabel("Nombre").fill("Caja 1")
          await page.getByRole("button", { name: "Emitir" }).click()
          await page.getByText("api_secret:").waitFor()
        })
        assert.deepStrictEqual(yield* seriousFaults(page), [])
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Ya lo copié" }).click()
          await page.getByRole("cell", { name: "Caja 1" }).waitFor()
          assert.strictEqual(await page.getByText("api_secret").count(), 0)
        })
        assert.deepStrictEqual(yield* seriousFaults(page), [])
        assert.deepStrictEqual([...faults], [])
      })
    )

    it.effect("asks for the password after 10 minutes, and then makes the change", () =>
      Effect.gen(function* () {
        const { token } = yield* inviteOperator({ name: OperatorName.make("Rosa Paz"), role: "admin", email: null })
        const { page } = yield* openPage()
        const secret = yield* Effect.promise(async () => {
          await page.goto(`/invitacion#${Redacted.value(token)}`)
          await page.getByLabel("Contraseña nueva").fill(password)
          await page.getByRole("button", { name: "Continuar" }).click()
          return (await page.locator("code.secret").textContent()) ?? ""
        })
        const code = yield* codeOf(secret)
        yield* Effect.promise(async () => {
          await page.getByLabel("Código de 6 dígitos").fill(code)
          await page.getByRole("button", { name: "Entrar" }).click()
          await page.getByRole("link", { name: "Operadores", exact: true }).click()
        })
        yield* ManualClock.use(({ pass }) => pass("11 minutes"))
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Invitar", exact: true }).click()
          await page.getByLabel("Nombre").fill("Nuevo Cajero")
          await page.getByRole("dialog").getByRole("button", { name: "Invitar" }).click()
          const dialog = page.getByRole("dialog", { name: "Confirme su contraseña" })
          await dialog.getByLabel("Contraseña").fill(password)
          await dialog.getByRole("button", { name: "Confirmar" }).click()
          await page.getByText(/\/invitacion#/).waitFor()
          await page.getByRole("button", { name: "Ya lo copié" }).click()
          await page.getByRole("cell", { name: "Nuevo Cajero" }).waitFor()
        })
      })
    )

    it.effect("shows what a catalogue file changes before it imports the file", () =>
      Effect.gen(function* () {
        const { faults, page } = yield* openPageAs("admin")
        const file = (name: string) => ({
          name: "catalogo.json",
          mimeType: "application/json",
          buffer: Buffer.from(JSON.stringify({ categorias: [{ id: 77, nombre: name }], servicios: [] }))
        })
        yield* Effect.promise(async () => {
          await page.goto("/catalogo")
          await page.getByRole("button", { name: "Importar un archivo" }).click()
          await page.getByLabel("Archivo CSV").setInputFiles(file(""))
          await page.getByRole("button", { name: "Ver los cambios" }).click()
          await page.getByRole("alert").getByText("Nada se importó").waitFor()
          await page.getByLabel("Archivo CSV").setInputFiles(file("Peajes"))
          await page.getByRole("button", { name: "Ver los cambios" }).click()
          await page.getByRole("cell", { name: "Peajes" }).waitFor()
          await page.getByRole("button", { name: "Importar 1 cambio" }).click()
          await page.getByText("Catálogo importado.").waitFor()
        })
        assert.deepStrictEqual([...faults], [])
      })
    )
  })
})
