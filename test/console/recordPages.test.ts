import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isBrowserInstalled } from "../support/Chromium.ts"
import { consoleInBrowser, openPageAs, overflowOf, phone, seriousFaults } from "./ConsolePage.ts"
import { callConsole, signedIn } from "./TestConsole.ts"

const statement = (content: string) => ({
  name: "marzo.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(content)
})

describe.skipIf(!isBrowserInstalled())("the cases in Chromium", () => {
  layer(consoleInBrowser, { excludeTestServices: true })((it) => {
    it.effect("are made from a statement that a supervisor sends, after its faults are corrected", () =>
      Effect.gen(function* () {
        const { faults, page } = yield* openPageAs("supervisor", { locale: "es-DO", ...phone })
        const dialog = page.getByRole("dialog")
        yield* Effect.promise(async () => {
          await page.goto("/casos")
          await page.getByRole("button", { name: "Comparar un extracto" }).click()
          await dialog.getByLabel("Proveedor", { exact: true }).selectOption({ label: "Simulador" })
          await dialog.getByLabel("Extracto del proveedor (CSV)").setInputFiles(statement("xid,amount\nRD-1,mucho\n"))
          await dialog.getByText("Columnas con otros nombres").click()
          await dialog.getByLabel("Monto").fill("amount")
          await dialog.getByLabel("Desde").fill("2026-03-11")
          await dialog.getByLabel("Hasta").fill("2026-03-11")
          await dialog.getByRole("button", { name: "Comparar", exact: true }).click()
          await page.getByText('"mucho" no es un monto.').waitFor()
        })
        assert.strictEqual(yield* overflowOf(page), 0)
        yield* Effect.promise(async () => {
          await dialog.getByLabel("Extracto del proveedor (CSV)").setInputFiles(statement("xid,amount\nRD-1,50.00\n"))
          await dialog.getByRole("button", { name: "Comparar", exact: true }).click()
          await page.getByText("el extracto se comparó con las ventas").waitFor()
          assert.include(await page.locator("dialog").textContent(), "Casos nuevos1")
        })
        assert.deepStrictEqual(yield* seriousFaults(page), [])
        yield* Effect.promise(async () => {
          await dialog.getByRole("button", { name: "Cerrar", exact: true }).click()
          await page.getByRole("cell", { name: "Solo en el extracto" }).waitFor()
        })
        assert.deepStrictEqual(faults, [])
      })
    )

    it.effect("can be read but not changed by a cashier", () =>
      Effect.gen(function* () {
        const { page } = yield* openPageAs("cajero")
        yield* Effect.promise(async () => {
          await page.goto("/casos")
          await page
            .getByRole("columnheader", { name: "Diferencia" })
            .or(page.getByText("No hay casos"))
            .first()
            .waitFor()
          assert.isFalse(await page.getByRole("button", { name: "Comparar un extracto" }).isVisible())
        })
      })
    )
  })
})

describe.skipIf(!isBrowserInstalled())("the closings in Chromium", () => {
  layer(consoleInBrowser, { excludeTestServices: true })((it) => {
    it.effect("can be verified by an operator with read access only", () =>
      Effect.gen(function* () {
        const { faults, page } = yield* openPageAs("lector")
        yield* Effect.promise(async () => {
          await page.goto("/cierres")
          await page.getByRole("button", { name: "Verificar los sellos" }).click()
          await page.getByRole("button", { name: "Verificar", exact: true }).click()
          await page.getByText("Todos están íntegros.").waitFor()
        })
        assert.deepStrictEqual(yield* seriousFaults(page), [])
        assert.deepStrictEqual(faults, [])
      })
    )
  })
})

describe.skipIf(!isBrowserInstalled())("a deposit above the limit in Chromium", () => {
  layer(consoleInBrowser, { excludeTestServices: true })((it) => {
    it.effect("is among the proposals immediately, and another operator confirms it", () =>
      Effect.gen(function* () {
        const names = { razon_social: "Colmado Luz", codigo_empresa: "LUZ", ambiente: "development" }
        const { data } = yield* callConsole("empresas.crear", { browser: yield* signedIn("admin"), input: names })
        const { page: first } = yield* openPageAs("cajero")
        const { page: second } = yield* openPageAs("supervisor")
        yield* Effect.promise(async () => {
          // Turns off the page's refresh every 15 seconds.
          await first.addInitScript("window.setInterval = () => 0")
          await first.goto(`/empresas/${data.empresa_id}`)
          await first.getByText("No hay propuestas.").waitFor()
          await first.getByRole("button", { name: "Depositar" }).click()
          await first.getByLabel("Monto en pesos").fill("2500000")
          await first.getByLabel("Referencia").fill("T-1")
          await first.getByRole("dialog").getByRole("button", { name: "Depositar" }).click()
          await first.getByRole("cell", { name: "pendiente" }).waitFor()
          await second.goto("/pendientes")
          await second.getByRole("link", { name: "Colmado Luz" }).waitFor()
          await second.getByRole("button", { name: "Confirmar" }).click()
          await second.getByText("propuso mover RD$ 2,500,000.00 en la empresa Colmado Luz").waitFor()
          await second.getByRole("button", { name: "Confirmar RD$ 2,500,000.00" }).click()
          await second.getByText("Confirmada. Disponible: RD$ 2,500,000.00.").waitFor()
        })
      })
    )
  })
})
