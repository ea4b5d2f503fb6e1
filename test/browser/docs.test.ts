import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { Browsing, isBrowserInstalled, openPage } from "./Browser.ts"

const phone = { viewport: { width: 360, height: 740 } }

/** Makes a sale as a person would: opens it, and sends it as it stands. */
const sell = (page: Page) =>
  Effect.promise(async () => {
    await page.goto("/docs#tag/ventas/POST/v1/recargas")
    await page.getByRole("button", { name: /Probar solicitud.*post \/v1\/recargas/ }).click()
    const dialog = page.getByRole("dialog")
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname === "/v1/recargas")
    await dialog
      .getByRole("button", { name: /^Send\b/ })
      .first()
      .click()
    const answer = await answered
    await dialog.getByText("201 Created").waitFor()
    return { status: answer.status(), body: await answer.json(), shown: await dialog.textContent() }
  })

describe.skipIf(!isBrowserInstalled())("in a browser", () => {
  layer(Browsing.layer, { excludeTestServices: true })((it) => {
    it.effect("the console sells with the credentials that it has ready, and speaks to nobody else", () =>
      Effect.gen(function* () {
        const { faults, page } = yield* openPage()
        const { body, shown, status } = yield* sell(page)
        assert.deepStrictEqual([status, body.data.status], [201, "SUCCESS"])
        assert.include(shown, body.data.xid)
        assert.deepStrictEqual(yield* faults, [])
      })
    )

    it.effect("two who open the console do not share a key", () =>
      Effect.gen(function* () {
        const sales = [yield* sell((yield* openPage()).page), yield* sell((yield* openPage()).page)]
        assert.lengthOf(new Set(sales.map(({ body }) => body.data.transaction_id)), 2)
      })
    )

    it.effect("the policy stops what would speak to another host", () =>
      Effect.gen(function* () {
        const { faults, page } = yield* openPage()
        yield* Effect.promise(() => page.goto("/docs"))
        const stopped = page.evaluate(`new Promise((resolve) => {
          addEventListener("securitypolicyviolation", ({ violatedDirective }) => resolve(violatedDirective))
          fetch("http://127.0.0.1:9/").catch(() => {})
        })`)
        assert.strictEqual(yield* Effect.promise(() => stopped), "connect-src")
        assert.include(yield* faults, "violates connect-src: http://127.0.0.1:9/")
      })
    )

    it.effect.each(["/docs/errors", "/docs/errors/IDEMPOTENT_REQUEST_IN_PROGRESS", "/docs/errors/VALIDATION_ERROR"])(
      "%s fits a phone",
      (path) =>
        Effect.gen(function* () {
          const { faults, page } = yield* openPage(phone)
          yield* Effect.promise(() => page.goto(path))
          const shown = page.evaluate(
            "[document.documentElement.scrollWidth, getComputedStyle(document.body).marginTop, document.scripts.length]"
          )
          assert.deepStrictEqual(yield* Effect.promise(() => shown), [phone.viewport.width, "0px", 0])
          assert.deepStrictEqual(yield* faults, [])
        })
    )
  })
})
