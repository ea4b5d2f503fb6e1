import { existsSync } from "node:fs"
import { Effect } from "effect"
import { chromium } from "playwright-core"

/**
 * Where Debian's packages install Chromium. The headless variant is preferred, because it has no user interface and
 * starts fewer processes.
 */
const programs = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"]
const executablePath = programs.find((path) => existsSync(path))

/** Whether Chromium is installed. Warns when it is not. */
export const isBrowserInstalled = (): boolean => {
  if (executablePath === undefined)
    console.warn(`The tests in a browser are skipped: there is no ${programs.join(" or ")}.`)
  return executablePath !== undefined
}

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

/** A browser with a fresh profile. It is closed with its scope. */
export const launchBrowser = Effect.acquireRelease(
  Effect.promise(() =>
    chromium.launch({ ...(executablePath !== undefined && { executablePath }), args, headless: true })
  ),
  (launched) => Effect.promise(() => launched.close())
)
