import { assert, describe, layer } from "@effect/vitest"
import axe from "axe-core"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { TOTP } from "otpauth"
import type { BrowserContextOptions, Browser as Chromium, Page } from "playwright-core"
import { OperatorName } from "../../core/domain/Operator.ts"
import { inviteOperator } from "../../core/workflows/ManageOperators.ts"
import { ConsoleAddress } from "../../facade/console/ConsoleServer.ts"
import { isBrowserInstalled, launchBrowser } from "../support/Chromium.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { signedIn, testConsole } from "./TestConsole.ts"

class Launched extends Context.Service<Launched, Chromium>()("test/console/Launched") {
  static readonly layer = Layer.effect(Launched, launchBrowser)
}

/** The errors and warnings of a page, violations of the policy among them, and its requests to other hosts. */
const watch = (page: Page, origin: string): ReadonlyArray<string> => {
  const faults: Array<string> = []
  page.on("pageerror", (error) => faults.push(String(error)))
  page.on("console", (message) => {
    // Chromium reports each refused call as an error too; the page shows it.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) faults.push(message.text())
  })
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:")) faults.push(request.url())
  })
  return faults
}

const openPage = Effect.fnUntraced(function* (options: BrowserContextOptions = {}) {
  const browser = yield* Launched
  const { url } = yield* ConsoleAddress
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => browser.newContext({ baseURL: url, ...options })),
    (opened) => Effect.promise(() => opened.close())
  )
  const page = yield* Effect.promise(() => context.newPage())
  return { page, faults: watch(page, url) }
})

/** A page in which an admin is signed in. */
const adminPage = Effect.fnUntraced(function* (options: BrowserContextOptions = {}) {
  const opened = yield* openPage(options)
  const { url } = yield* ConsoleAddress
  const { cookie, name } = yield* signedIn("admin")
  const [cookieName = "", value = ""] = cookie.split("=")
  yield* Effect.promise(() => opened.page.context().addCookies([{ name: cookieName, value, url }]))
  return { ...opened, name }
})

/** The serious faults of accessibility in the page. */
const seriousFaults = (page: Page) =>
  Effect.promise(async () => {
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate<typeof axe.AxeResults>("axe.run()")
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ help, nodes }) => `${help}: ${nodes.map(({ html }) => html).join(" ")}`)
  })

const phone = { viewport: { width: 360, height: 740 } }

const password = "una clave muy larga"

const codeOf = (secret: string) =>
  Effect.map(Clock.currentTimeMillis, (timestamp) => new TOTP({ secret }).generate({ timestamp }))

describe.skipIf(!isBrowserInstalled())("the console in a browser", () => {
  layer(Layer.merge(testConsole(), Launched.layer), { excludeTestServices: true })((it) => {
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

    it.effect("shows the sign-in without a session, refuses wrong credentials, and returns to the page", () =>
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
        const { faults, page } = yield* adminPage(options)
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
          const overflow = yield* Effect.promise(() =>
            page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth")
          )
          assert.isAtMost(overflow, 0, `${link} scrolls sideways`)
        }
        assert.deepStrictEqual([...faults], [])
      })
    )

    it.effect("makes a company, deposits, and shows the secret of a new token once", () =>
      Effect.gen(function* () {
        const { faults, page } = yield* adminPage()
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
          await page.getByRole("link", { name: "Operadores" }).click()
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
        const { faults, page } = yield* adminPage()
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
