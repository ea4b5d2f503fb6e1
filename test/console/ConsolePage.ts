import axe from "axe-core"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { Role } from "../../core/domain/Operator.ts"
import { ConsoleAddress } from "../../facade/console/ConsoleServer.ts"
import { launchBrowser } from "../support/Chromium.ts"
import { signedIn } from "./TestConsole.ts"

interface Screen {
  readonly width?: number
  readonly colorScheme?: "light" | "dark"
}

/**
 * Opens a page of the console in Chromium, in which a new operator with this role has signed in.
 *
 * @returns the page, and a list that collects the errors of its scripts and the refusals of its security policy.
 */
export const openPage = Effect.fnUntraced(function* (
  role: Role,
  path: string,
  { colorScheme = "light", width = 1280 }: Screen = {}
) {
  const { url } = yield* ConsoleAddress
  const { cookie } = yield* signedIn(role)
  const browser = yield* launchBrowser
  const faults: Array<string> = []
  const page = yield* Effect.promise(async () => {
    const context = await browser.newContext({ colorScheme, locale: "es-DO", viewport: { width, height: 900 } })
    const [name = "", value = ""] = cookie.split("=")
    await context.addCookies([{ name, value, url }])
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    page.on("pageerror", (error) => faults.push(error.message))
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()))
    await page.goto(`${url}${path}`)
    return page
  })
  return { page, faults }
})

/** The serious findings of axe on a page. */
export const seriousFindings = (page: Page) =>
  Effect.promise(async () => {
    // Evaluated by the debugger, because the security policy of the page forbids inline scripts.
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate<axe.AxeResults>("axe.run()")
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
  })

/** How far the page is wider than the screen, in pixels. */
export const overflowOf = (page: Page) =>
  Effect.promise(() =>
    page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth")
  )
