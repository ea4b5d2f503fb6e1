import { existsSync } from "node:fs"
import { Effect } from "effect"
import { chromium } from "playwright-core"

/** Debian's Chromium without a user interface. It starts fewer processes, so it is preferred. */
const shell = "/usr/bin/chromium-headless-shell"
const executablePath = existsSync(shell) ? shell : "/usr/bin/chromium"

/** Whether Chromium is installed. Warns when it is not. */
export const isBrowserInstalled = (): boolean => {
  const isInstalled = existsSync(executablePath)
  if (!isInstalled) console.warn(`The tests in a browser are skipped: there is no ${shell} or ${executablePath}.`)
  return isInstalled
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
  Effect.promise(() => chromium.launch({ executablePath, args, headless: true })),
  (launched) => Effect.promise(() => launched.close())
)
