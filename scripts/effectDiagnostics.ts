import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

// A TypeScript compiler with Effect diagnostics. It reports effects that never run and clocks that tests cannot control.
// It exists only for Linux on x64, so it is an optional dependency and other machines skip this check.
const compiler = fileURLToPath(new URL("../node_modules/@effect/tsgo-linux-x64/lib/tsc", import.meta.url))

if (existsSync(compiler)) {
  const { status } = spawnSync(compiler, ["--noEmit"], { stdio: "inherit" })
  process.exitCode = status ?? 1
} else {
  console.log("Effect diagnostics are skipped: @effect/tsgo-linux-x64 is not installed on this platform")
}
