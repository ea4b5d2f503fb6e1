import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

// A TypeScript that knows Effect: it finds effects that nobody runs and clocks that no test can hold. There is one for
// this platform alone, so it is an optional dependency and other machines go without.
const compiler = fileURLToPath(new URL("../node_modules/@effect/tsgo-linux-x64/lib/tsc", import.meta.url))

if (existsSync(compiler)) {
  const { status } = spawnSync(compiler, ["--noEmit"], { stdio: "inherit" })
  process.exitCode = status ?? 1
} else {
  console.log("Effect diagnostics are skipped: @effect/tsgo-linux-x64 is not installed on this platform")
}
