import axe from "axe-core"
import { Context, Effect, Layer } from "effect"
import type { BrowserContextOptions, Browser as Chromium, Page } from "playwright-core"
import type { Role } from "../../core/domain/Operator.ts"
import { ConsoleAddress } from "../../facade/console/ConsoleServer.ts"
import { launchBrowser } from "../support/Chromium.ts"
import { signedIn, testConsole } from "./TestConsole.ts"

/** Chromium, for the pages of a test file. */
export class Launched extends Context.Service<Launched, Chromium>()("test/console/Launched") {
  static readonly layer = Layer.effect(Launched, launchBrowser)
}

/** A console, and Chromium. */
export const consoleInBrowser = Layer.merge(testConsole(), Launched.layer)

/** The errors of a page, including violations of the content security policy, and its requests to other hosts. */
const watch = (page: Page, origin: string): ReadonlyArray<string> => {
  const faults: Array<string> = []
  page.on("pageerror", (error) => faults.push(String(error)))
  page.on("console", (message) => {
    // Chromium also reports each refused call as an error. Such an error is no fault, because the page shows the refusal.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) faults.push(message.text())
  })
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:")) faults.push(request.url())
  })
  return faults
}

/** Opens a page of Chromium with a fresh profile. */
export const openPage = Effect.fnUntraced(function* (options: BrowserContextOptions = {}) {
  const browser = yield* Launched
  const { prepare, url } = yield* ConsoleAddress
  // Bundles the script before Chromium opens a page. On busy cores, bundling takes longer than Chromium's timeout.
  yield* prepare
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => browser.newContext({ baseURL: url, ...options })),
    (opened) => Effect.promise(() => opened.close())
  )
  const page = yield* Effect.promise(() => context.newPage())
  return { page, faults: watch(page, url) }
})

/** Opens a page in which a new operator with this role is signed in. */
export const openPageAs = Effect.fnUntraced(function* (role: Role, options: BrowserContextOptions = {}) {
  const opened = yield* openPage(options)
  const { url } = yield* ConsoleAddress
  const { cookie, name } = yield* signedIn(role)
  const [cookieName = "", value = ""] = cookie.split("=")
  yield* Effect.promise(() => opened.page.context().addCookies([{ name: cookieName, value, url }]))
  return { ...opened, name }
})

/** The screen of a phone. */
export const phone = { viewport: { width: 360, height: 740 } }

/** The serious faults of accessibility in the page. */
export const seriousFaults = (page: Page) =>
  Effect.promise(async () => {
    // The debugger evaluates axe, because the content security policy of the page forbids inline scripts.
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate<typeof axe.AxeResults>("axe.run()")
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ help, nodes }) => `${help}: ${nodes.map(({ html }) => html).join(" ")}`)
  })

/** By how many pixels the page is wider than the screen. */
export const overflowOf = (page: Page) =>
  Effect.promise(() =>
    page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth")
  )
