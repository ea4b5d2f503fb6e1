import { existsSync } from "node:fs"
import { Effect } from "effect"
import { chromium } from "playwright-core"

/** Path where Debian's package installs Chromium. */
const executablePath = "/usr/bin/chromium"

/** Whether Chromium is installed. Warns when it is not. */
export const isBrowserInstalled = (): boolean => {
  const installed = existsSync(executablePath)
  if (!installed) console.warn(`The tests in a browser are skipped: there is no ${executablePath}.`)
  return installed
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
