import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import type { BrowserContextOptions, Page } from "playwright-core"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { recover } from "../../core/workflows/Recover.ts"
import { isBrowserInstalled } from "../support/Chromium.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { customer } from "../support/service/CustomerCompany.ts"
import { post, sell } from "../support/service/HttpCalls.ts"
import { Launched, openPageAs, overflowOf, phone, seriousFaults } from "./ConsolePage.ts"
import { nextPhone, pendingSale, WithConsole } from "./ConsoleSales.ts"
import { ConsoleBeside } from "./TestConsole.ts"

/** Whether the test replaces the pictures of docs/console.md. */
const takesPictures = process.env["CONSOLE_PICTURES"] === "on"

const picture = (page: Page, name: string) =>
  Effect.promise(async () => {
    const path = fileURLToPath(new URL(`../../docs/console/${name}.jpg`, import.meta.url))
    if (takesPictures) await page.screenshot({ path, type: "jpeg", quality: 60 })
  })

/** Opens a page in a browser whose clock shows the time of the service. */
const openAs = Effect.fnUntraced(function* (
  role: "admin" | "lector" | "supervisor",
  options: BrowserContextOptions = { viewport: { width: 960, height: 640 } }
) {
  const opened = yield* ConsoleBeside.use(({ on }) => on(openPageAs(role, options)))
  const now = yield* Clock.currentTimeMillis
  yield* Effect.promise(() => opened.page.clock.setFixedTime(now))
  return opened
})

const goTo = (page: Page, path: string) =>
  Effect.promise(async () => {
    await page.goto(path)
    await page.getByRole("heading", { level: 1 }).waitFor()
    await page.getByText("Cargando…").first().waitFor({ state: "detached" })
  })

const soldTo = Effect.fnUntraced(function* (identifier: string) {
  const { auth } = yield* customer()
  const sold = yield* sell({ service_id: 1, amount: 100, identifier, terminal_id: "caja-1" }, auth)
  return { auth, id: sold.body.data.transaction_id as number }
})

describe.skipIf(!isBrowserInstalled())("pages of sales in a browser", { timeout: 180_000 }, () => {
  layer(Layer.merge(WithConsole, Launched.layer), { excludeTestServices: true })((it) => {
    it.effect("let an operator find a sale by its phone with the keyboard alone, read its history, and export it", () =>
      Effect.gen(function* () {
        const identifier = nextPhone()
        const { id } = yield* soldTo(identifier)
        yield* soldTo(nextPhone())
        const { faults, page } = yield* openAs("lector")
        yield* goTo(page, "/transacciones")
        yield* Effect.promise(async () => {
          await page.getByLabel("Buscar", { exact: true }).focus()
          await page.keyboard.type(`${identifier.slice(0, 3)}-${identifier.slice(3, 6)}-${identifier.slice(6)}`)
          await page.keyboard.press("Enter")
          await page.getByText("1 transacción.").waitFor()
        })
        yield* picture(page, "transacciones")
        const text = yield* Effect.promise(async () => {
          const saved = page.waitForEvent("download")
          await page.getByRole("link", { name: "Descargar CSV" }).focus()
          await page.keyboard.press("Enter")
          return readFile(await (await saved).path(), "utf8")
        })
        assert.include(text.split("\r\n")[1] ?? "", identifier)
        assert.lengthOf(text.trim().split("\r\n"), 2)
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: String(id), exact: true }).focus()
          await page.keyboard.press("Enter")
          await page.getByText("Disponible: RD$ 100.00 → RD$ 0.00 · Retenido: RD$ 0.00 → RD$ 100.00").waitFor()
          await page.getByText("Retenido: RD$ 100.00 → RD$ 0.00 · Cobrado: RD$ 0.00 → RD$ 100.00").waitFor()
        })
        yield* picture(page, "transaccion")
        assert.deepStrictEqual([...faults], [])
      })
    )

    it.effect("let two supervisors resolve a pending sale, never one alone", () =>
      Effect.gen(function* () {
        const { id } = yield* pendingSale(StatusAnswer.Unknown())
        yield* recover("all")
        yield* ManualClock.use(({ pass }) => pass("16 minutes"))
        const ana = yield* openAs("supervisor")
        yield* goTo(ana.page, "/pendientes")
        const dialog = ana.page.getByRole("dialog")
        yield* Effect.promise(async () => {
          await ana.page.getByText("no dio una respuesta firme").waitFor()
          await ana.page.getByRole("button", { name: "Proponer cómo terminó" }).click()
          await dialog.getByLabel(/La venta se entregó/).check()
          await dialog.getByLabel("Código de autorización").fill("A-4711")
          await dialog.getByLabel("Motivo").fill("Está en el extracto del 11 de marzo")
        })
        assert.deepStrictEqual(yield* seriousFaults(ana.page), [])
        yield* Effect.promise(async () => {
          await dialog.getByRole("button", { name: "Proponer" }).click()
          await ana.page.getByText(/hecha\. Otro operador tiene que confirmarla/).waitFor()
          await ana.page.getByText("otro operador tiene que confirmarla.", { exact: false }).first().waitFor()
          assert.strictEqual(await ana.page.getByRole("button", { name: /^Confirmar/ }).count(), 0)
        })
        const berto = yield* openAs("supervisor")
        yield* goTo(berto.page, "/pendientes")
        yield* Effect.promise(() => berto.page.getByText(`${ana.name} propone que se entregó`).first().waitFor())
        yield* picture(berto.page, "pendientes")
        const confirming = berto.page.getByRole("dialog")
        yield* Effect.promise(async () => {
          await berto.page.getByRole("button", { name: "Confirmar que se entregó" }).click()
          await confirming.getByText("Está en el extracto del 11 de marzo").first().waitFor()
          await confirming.getByRole("button", { name: "Confirmar", exact: true }).click()
          await berto.page.getByText(`Transacción ${id}: exitosa.`).waitFor()
          await berto.page.getByText("No hay nada sin resolver.").first().waitFor()
        })
        yield* goTo(berto.page, `/transacciones/${id}`)
        yield* Effect.promise(() => berto.page.getByText("por dos operadores").waitFor())
        assert.deepStrictEqual([...ana.faults, ...berto.faults], [])
      })
    )

    it.effect.each([
      { mode: "light on a screen", options: undefined },
      { mode: "dark on a phone", options: { ...phone, colorScheme: "dark" as const } }
    ])("have no serious fault of accessibility and do not scroll sideways, $mode", ({ options }) =>
      Effect.gen(function* () {
        const { auth, id } = yield* soldTo(nextPhone())
        yield* post(`/v1/transacciones/${id}/anular`, {}, { ...auth, "idempotency-key": "anular" })
        const webhook = yield* post("/v1/webhooks", { url: "https://tienda.example.com/saldo" }, auth)
        yield* pendingSale(StatusAnswer.Unknown())
        const { faults, page } = yield* openAs("admin", options)
        const paths = [`/transacciones/${id}`, "/pendientes", `/webhooks?webhook=${webhook.body.data.webhook_id}`]
        for (const path of [...paths, "/seguros", "/cierres", "/casos"]) {
          yield* goTo(page, path)
          assert.deepStrictEqual(yield* seriousFaults(page), [], path)
          assert.isAtMost(yield* overflowOf(page), 0, `${path} scrolls sideways`)
        }
        yield* goTo(page, "/pendientes")
        if (options !== undefined) yield* picture(page, "telefono")
        yield* goTo(page, "/")
        if (options === undefined) yield* picture(page, "panorama")
        assert.deepStrictEqual([...faults], [])
      })
    )
  })
})
