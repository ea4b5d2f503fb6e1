import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { delimiter, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { serveLocally } from "../fakes/LocalServer.ts"
import { isBrowserInstalled, launchBrowser } from "../support/Chromium.ts"
import { ServiceAddress } from "../support/InProcessService.ts"
import { root, runProgram, runScript } from "../support/RunProgram.ts"
import { secret, TestService } from "../support/service/InMemoryService.ts"
import { InstalledPackage } from "./InstalledPackage.ts"

/** Maximum size of the package's JavaScript in each module format. */
const size_max = 30_000

/** The Node of the system, if it is one that the package supports and not the Node of node_modules. */
const systemNode = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
  if (!existsSync(path)) return false
  const version = execFileSync(path, ["--version"], { encoding: "utf8" }).trim()
  return Number(/^v(\d+)/.exec(version)?.[1]) >= 20 && version !== process.version
})

const nodes = systemNode === undefined ? [process.execPath] : [process.execPath, systemNode]

const isOnPath = (name: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)))

/** The commands that run a program on Bun and Deno, if they are installed. */
const otherRuntimes = [["bun"], ["deno", "run", "--allow-all"]].filter(([name = ""]) => isOnPath(name))

const commands = [...nodes.map((node) => [node]), ...otherRuntimes]

const delivered = {
  status: "SUCCESS",
  isListed: true,
  refused: ["INVALID_PHONE", "FAILED"],
  file: "%PDF-",
  unsigned: "headers"
}

const compilers = { "5.9": "facade/client/node_modules/typescript", newest: "node_modules/typescript" }

const resolutions = [
  ["nodenext", "nodenext"],
  ["esnext", "bundler"]
] as const

const Everything = Layer.merge(TestService, InstalledPackage.layer)

layer(Everything, { excludeTestServices: true, timeout: "60 seconds" })("the package @saldo/client", (it) => {
  it.effect("has less than 30 kB of JavaScript, no dependency, and imports only its own files", () =>
    Effect.gen(function* () {
      const { folder } = yield* InstalledPackage
      const files = readdirSync(join(folder, "dist")).map((name) => ({
        name,
        text: readFileSync(join(folder, "dist", name), "utf8")
      }))
      for (const format of [".js", ".cjs"]) {
        const code = files.filter(({ name }) => name.endsWith(format) && !name.includes(".d."))
        assert.isBelow(
          code.reduce((sum, { text }) => sum + text.length, 0),
          size_max
        )
      }
      const imported = files.flatMap(({ text }) =>
        Array.from(text.matchAll(/(?:\bfrom|\bimport|\brequire\()\s*"([^"]+)"/g), ([, path = ""]) => path)
      )
      assert.isNotEmpty(imported)
      assert.isEmpty(imported.filter((path) => !path.startsWith("./")))
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      assert.notProperty(manifest, "dependencies")
      assert.notProperty(manifest, "peerDependencies")
    })
  )

  it.effect("passes publint and Are the types wrong? without a warning", () =>
    Effect.gen(function* () {
      const { folder, project, tarball } = yield* InstalledPackage
      yield* runScript("node_modules/publint/src/cli.js", [folder, "--strict", "--pack", "false"], project)
      yield* runScript("node_modules/@arethetypeswrong/cli/dist/index.js", [tarball], project)
    })
  )

  it.effect.each(
    Object.keys(compilers).flatMap((version) =>
      resolutions.map(([module, resolution]) => [version, module, resolution])
    )
  )("type-checks with TypeScript %s, module %s and resolution %s", ([version = "", module, moduleResolution]) =>
    Effect.gen(function* () {
      const { project } = yield* InstalledPackage
      const file = `tsconfig.${version}.${moduleResolution}.json`
      const compilerOptions = {
        module,
        moduleResolution,
        target: "es2022",
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
        types: []
      }
      writeFileSync(join(project, file), JSON.stringify({ compilerOptions, files: ["typed.ts"] }))
      yield* runScript(`${compilers[version as keyof typeof compilers]}/bin/tsc`, ["-p", file], project)
    })
  )

  it.effect("has types that agree with those of the server", () =>
    Effect.gen(function* () {
      const { project } = yield* InstalledPackage
      const compilerOptions = {
        incremental: false,
        tsBuildInfoFile: null,
        typeRoots: [join(root, "node_modules/@types")]
      }
      const files = [join(root, "test/client/program/agreement.ts")]
      const config = { extends: join(root, "tsconfig.json"), compilerOptions, files, include: [], exclude: [] }
      writeFileSync(join(project, "tsconfig.agreement.json"), JSON.stringify(config))
      yield* runScript(`${compilers.newest}/bin/tsc`, ["-p", "tsconfig.agreement.json"], project)
    })
  )

  it.effect.each(
    commands.flatMap(([runtime = "", ...options]) =>
      ["run.mjs", "run.cjs"].map((program) => ({ runtime, options, program }))
    )
  )("sells against a live service: $runtime $program", ({ options, program, runtime }) =>
    Effect.gen(function* () {
      const { project } = yield* InstalledPackage
      const { url } = yield* ServiceAddress
      const printed = yield* runProgram(runtime, [...options, program, url, secret], project)
      assert.deepStrictEqual(JSON.parse(printed), delivered)
    })
  )

  it.effect.skipIf(!isBrowserInstalled())("sells from a page in Chromium", () =>
    Effect.gen(function* () {
      const { folder, project } = yield* InstalledPackage
      const { url } = yield* ServiceAddress
      const scripts: Readonly<Record<string, string>> = {
        "/scenario.cjs": join(project, "scenario.cjs"),
        "/index.js": join(folder, "dist/index.js"),
        "/webhooks.js": join(folder, "dist/webhooks.js")
      }
      const page = yield* serveLocally(
        createServer(({ url: path = "" }, response) => {
          const script = scripts[path]
          response.setHeader("content-type", script === undefined ? "text/html" : "text/javascript")
          response.end(script === undefined ? "<!doctype html>" : readFileSync(script))
        })
      )
      const browser = yield* launchBrowser
      const program = `(async () => {
        globalThis.exports = {}
        await new Promise((resolve) => {
          const script = Object.assign(document.createElement("script"), { src: "/scenario.cjs", onload: resolve })
          document.head.append(script)
        })
        const [client, webhooks] = await Promise.all([import("/index.js"), import("/webhooks.js")])
        return exports.scenario(client, webhooks, ${JSON.stringify(url)}, ${JSON.stringify(secret)})
      })()`
      const result = yield* Effect.promise(async () => {
        const tab = await browser.newPage()
        await tab.goto(page)
        return tab.evaluate(program)
      })
      assert.deepStrictEqual(result, delivered)
    })
  )
})
