import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { isBrowserInstalled, launchBrowser } from "../../support/Chromium.ts"
import { servingHere } from "../../support/CommandLine.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"

/** A browser with a fresh profile and a running server; both are closed after the tests. */
class Browsing extends Context.Service<Browsing, { readonly browser: Browser; readonly origin: string }>()(
  "test/Browsing"
) {
  static readonly layer = Layer.effect(
    Browsing,
    Effect.gen(function* () {
      const { url } = yield* servingHere({ DATABASE_URL: yield* freshDatabaseUrl })
      const browser = yield* launchBrowser
      return { browser, origin: url }
    })
  )
}

// Reports violations of the content security policy. A violation by "eval" is ignored: Zod, a library in the console,
// tries eval once and works without it.
const reportViolations = `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
  if (blockedURI !== "eval") console.error("violates " + violatedDirective + ": " + blockedURI)
})`

/** Collects a page's errors, warnings and failed requests, and its requests to other hosts. */
const watch = (page: Page, origin: string): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const isOurs = (url: string) => url.startsWith(`${origin}/`) || /^(?:data|blob):/.test(url)
  page.on("pageerror", (error) => faults.push(String(error)))
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text())
  })
  page.on("request", (request) => {
    if (!isOurs(request.url())) faults.push(`asks ${request.url()}`)
  })
  page.on("requestfailed", (request) => faults.push(`failed: ${request.url()}`))
  return faults
}

// Runs one task in the page first, so that earlier events of the page have arrived before the list is copied.
const faultsOf = (page: Page, watched: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    await page.evaluate("new Promise((resolve) => setTimeout(resolve))")
    return [...watched]
  })

/** Timeout of one action in a page. The tests share two cores, and the page of the API is large. */
const action_max_ms = 90_000

/** An empty, watched page in a new browser context. */
const openPage = Effect.fnUntraced(function* (options: BrowserContextOptions = {}) {
  const { browser, origin } = yield* Browsing
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => browser.newContext({ baseURL: origin, ...options })),
    (opened) => Effect.promise(() => opened.close())
  )
  context.setDefaultTimeout(action_max_ms)
  return yield* Effect.promise(async () => {
    const page = await context.newPage()
    await page.addInitScript({ content: reportViolations })
    return { page, faults: faultsOf(page, watch(page, origin)) }
  })
})

const phone = { viewport: { width: 360, height: 740 } }

/** Makes a sale in the console: opens the request and sends the example unchanged. */
const sell = (page: Page) =>
  Effect.promise(async () => {
    await page.goto("/docs#tag/ventas/POST/v1/recargas")
    await page.getByRole("button", { name: /Probar solicitud.*post \/v1\/recargas/ }).click()
    const dialog = page.getByRole("dialog")
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname === "/v1/recargas")
    await dialog
      .getByRole("button", { name: /^Enviar\b/ })
      .first()
      .click()
    const answer = await answered
    await dialog.getByText("201 Created").waitFor()
    return { status: answer.status(), body: await answer.json(), shown: await dialog.textContent() }
  })

const visit = Effect.gen(function* () {
  const opened = yield* openPage()
  return { ...opened, sale: yield* sell(opened.page) }
})

/** The console's page after a first visitor made a sale. The console loads slowly, so several tests use this page. */
class FirstVisit extends Context.Service<FirstVisit, Effect.Success<typeof visit>>()("test/FirstVisit") {
  static readonly layer = Layer.effect(FirstVisit, visit)
}

const Visited = Layer.provideMerge(FirstVisit.layer, Browsing.layer)

describe.skipIf(!isBrowserInstalled())("the documentation in a browser", { timeout: 180_000 }, () => {
  layer(Visited, { excludeTestServices: true, timeout: "3 minutes" })((it) => {
    it.effect("sells from the console with the prefilled credentials, and sends no request to another host", () =>
      Effect.gen(function* () {
        const { faults, sale } = yield* FirstVisit
        assert.deepStrictEqual([sale.status, sale.body.data.status], [201, "SUCCESS"])
        assert.include(sale.shown, sale.body.data.xid)
        assert.deepStrictEqual(yield* faults, [])
      })
    )

    it.effect("introduces the API in Spanish and shows the dialog of a call in Spanish", () =>
      Effect.gen(function* () {
        const {
          page,
          sale: { shown }
        } = yield* FirstVisit
        for (const label of ["Autenticación", "Encabezados", "Cuerpo de la solicitud", "Respuesta", "Enviar"])
          assert.include(shown, label)
        assert.notMatch(
          shown ?? "",
          // Names of headers, such as X-Api-Key, are not translated.
          /(?<!-)\b(?:Send|Headers|Query|Request|Response|Authentication|Required|Key|Value|Preview)\b/
        )
        yield* Effect.promise(() => page.goto("/docs"))
        for (const heading of ["Ambientes", "Autenticación", "Idempotencia", "Anulaciones", "Soporte"])
          yield* Effect.promise(() => page.getByRole("heading", { name: heading, exact: true }).waitFor())
        const link = page.getByRole("link", { name: "La página de cada código" })
        assert.strictEqual(yield* Effect.promise(() => link.getAttribute("href")), "/docs/errors")
      })
    )

    it.effect("gives each visitor a different idempotency key", () =>
      Effect.gen(function* () {
        const sales = [(yield* FirstVisit).sale, (yield* visit).sale]
        assert.lengthOf(new Set(sales.map(({ body }) => body.data.transaction_id)), 2)
      })
    )

    it.effect("blocks requests to other hosts by its content security policy", () =>
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

    it.effect("lets a page of another origin send tracing headers and read the headers of an error", () =>
      Effect.gen(function* () {
        const { origin } = yield* Browsing
        const { page } = yield* openPage()
        yield* Effect.promise(() => page.goto(`${origin.replace("127.0.0.1", "localhost")}/v1/estado`))
        const heard = page.evaluate(`fetch("${origin}/trpc/cuenta.saldo", {
          headers: {
            authorization: "Bearer a.b",
            "trpc-accept": "application/json",
            traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            baggage: "tienda=1",
            "x-tracer-of-tomorrow": "1"
          }
        }).then(({ headers, status }) => [status, headers.get("www-authenticate"), headers.has("date")])`)
        assert.deepStrictEqual(yield* Effect.promise(() => heard), [401, 'Bearer realm="saldo"', true])
      })
    )

    it.effect.each([
      "/docs/webhooks",
      "/docs/errors",
      "/docs/errors/IDEMPOTENT_REQUEST_IN_PROGRESS",
      "/docs/errors/VALIDATION_ERROR"
    ])("has pages that fit the width of a phone: %s", (path) =>
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
