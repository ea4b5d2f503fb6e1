import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { runningPort } from "../../adapters/embedded/EmbeddedCluster.ts"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"
import { timeout_ms } from "./Timeout.ts"

describe("the server that runs on a data directory", () => {
  it.effect("is known by each name of the directory", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const data = join(home, "place", "data")
      const pidFile = join(data, "postmaster.pid")
      const portIn = (name: string) =>
        runningPort({ binaries: "", directory: join(home, name), user: null, settings: {} })
      mkdirSync(data, { recursive: true })
      symlinkSync(join(home, "place"), join(home, "link"))
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("sleep", ["600"], { cwd: data, stdio: "ignore" })),
        (running) => Effect.sync(() => void running.kill())
      )
      writeFileSync(pidFile, `${server.pid}\n${data}\n0\n5433\n`)
      for (const name of ["place", "link"]) assert.strictEqual(portIn(name), 5433)
      writeFileSync(pidFile, `${process.pid}\n${data}\n0\n5433\n`)
      assert.isNull(portIn("place"))
      rmSync(pidFile)
    })
  )
})

describe("a start that is broken off while it makes the data", { timeout: timeout_ms }, () => {
  it.live("leaves them whole, and no password in a file", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const place = join(home, "postgres")
      const made = Effect.sync(() => (existsSync(place) ? readdirSync(place) : []).filter((name) => /^data/.test(name)))
      const starting = yield* Effect.forkChild(Layer.build(EmbeddedPostgres.layer({ dataDirectory: home })))
      yield* eventually(made, (names) => names.length > 0)
      yield* Fiber.interrupt(starting)
      assert.deepStrictEqual(yield* made, ["data"])
    })
  )
})

describe("an answer that cannot be written", () => {
  it.each([
    ["--help > /dev/full", 1, /could not be written/],
    ["company create --codigo serve --help > /dev/full", 1, /could not be written/],
    ["--help | true", 0, /^$/]
  ])("%s", (asked, code, said) => {
    const { status, stderr } = spawnSync(
      "bash",
      ["-c", `set -o pipefail; "$0" facade/cli/main.ts ${asked}`, process.execPath],
      {
        encoding: "utf8"
      }
    )
    assert.strictEqual(status, code)
    assert.match(stderr, said)
  })
})
