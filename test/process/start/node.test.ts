import { spawnSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import manifest from "../../../package.json" with { type: "json" }
import { temporaryDirectory, timeout_ms } from "../../support/FirstStart.ts"
import { ended, startProgram } from "../../support/SaldoProcess.ts"

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/** Makes a process believe that it runs on another version of Node. */
const asNode = (version: string) => {
  const code = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

const versionOn = Effect.fnUntraced(function* (entry: string, node: string) {
  const saldo = yield* startProgram(at(entry), ["--version"], asNode(node))
  return { code: yield* ended(saldo), stderr: saldo.stderr(), stdout: saldo.stdout() }
})

describe("the command line", { timeout: timeout_ms }, () => {
  it.live.each(["facade/cli/main.js", "facade/cli/main.ts"])(
    "says in one line which Node it needs when %s runs on an older Node",
    (entry) =>
      Effect.gen(function* () {
        for (const version of ["20.20.2", "24.8.1"]) {
          const { code, stderr, stdout } = yield* versionOn(entry, version)
          assert.deepStrictEqual([code, stdout], [1, ""])
          assert.match(
            stderr,
            /^error: Saldo needs Node 24\.9 or later, and \S+ is Node 2\d\.\d+\.\d: use npm start .*\n$/
          )
          assert.include(stderr, `is Node ${version}:`)
        }
      })
  )

  it.live.each(["24.9.0", "24.10.0", "26.10.0", "100.0.0"])("runs on Node %s", (version) =>
    Effect.gen(function* () {
      const { code, stdout } = yield* versionOn("facade/cli/main.js", version)
      assert.deepStrictEqual([code, stdout], [0, `saldo v${manifest.version}\n`])
    })
  )
})

/** Runs the check of npm's scripts with a Node that prints a text and exits. */
const checkNode = Effect.fnUntraced(function* (text: string, code: number) {
  const directory = yield* temporaryDirectory
  const node = join(directory, "node")
  writeFileSync(node, `#!/bin/sh\necho '${text}' >&2\nexit ${code}\n`)
  chmodSync(node, 0o755)
  const PATH = `${directory}:${process.env["PATH"]}`
  const { status, stderr } = spawnSync("sh", [at("scripts/checkNode.sh")], { env: { PATH }, encoding: "utf8" })
  return { status, stderr }
})

const loader = "node: error while loading shared libraries: "

describe("a script of npm", () => {
  it("runs checkNode.sh before everything else", () => {
    for (const name of ["postinstall", "prestart", "presaldo"] as const)
      assert.strictEqual(manifest.scripts[name], "sh scripts/checkNode.sh")
  })

  it.live.each([
    ["libatomic.so.1", "install it with apt-get install libatomic1 (Debian, Ubuntu) or dnf install libatomic (Fedora)"],
    ["libother.so.2", "install what it lacks"]
  ] as const)("says what to install when Node lacks %s", ([library, remedy]) =>
    Effect.gen(function* () {
      const said = `${loader}${library}: cannot open shared object file: No such file or directory`
      const { status, stderr } = yield* checkNode(said, 127)
      assert.strictEqual(status, 1)
      assert.include(stderr, `error: Node cannot start (${said}): ${remedy}, and run npm ci again\n`)
    })
  )

  it.live("says nothing when Node starts", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* checkNode("v26.10.0", 0), { status: 0, stderr: "" })
    })
  )
})
