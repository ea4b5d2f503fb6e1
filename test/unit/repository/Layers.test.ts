import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const house = fileURLToPath(new URL("../../../", import.meta.url))

const tops = readdirSync(house, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name))
  .map(({ name }) => name)

/** The TypeScript sources below a folder, without node_modules and built files. */
const sourcesIn = (top: string): ReadonlyArray<string> =>
  readdirSync(posix.join(house, top), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file))
    .map((file) => posix.join(top, file))

const files = tops.flatMap(sourcesIn)

/** The folders from which a file imports. */
const importedBy = (file: string): ReadonlyArray<string> =>
  [...readFileSync(posix.join(house, file), "utf8").matchAll(/\b(?:from|import) "(\.[^"]+\.tsx?)"/g)].map(
    ([, path = ""]) => posix.dirname(posix.join(posix.dirname(file), path))
  )

const imports = new Map<string, Set<string>>()
for (const file of files) {
  const folder = posix.dirname(file)
  const known = imports.get(folder) ?? new Set()
  imports.set(folder, new Set([...known, ...importedBy(file).filter((other) => other !== folder)]))
}

/**
 * Repeatedly removes each folder that imports no other folder, or that no other folder imports. The folders that remain
 * are in cycles.
 */
const circles = (folders: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyArray<string> => {
  const imported = new Set([...folders.values()].flatMap((others) => [...others]))
  const left = new Map(
    [...folders].filter(([folder, others]) => imported.has(folder) && [...others].some((other) => folders.has(other)))
  )
  return left.size === folders.size ? [...left.keys()] : circles(left)
}

describe("the folders", () => {
  it("do not import each other in a cycle", () => {
    assert.isAbove(imports.size, 40)
    assert.isEmpty(circles(imports))
  })

  it("are nested at most three levels deep, and contain more than two entries", () => {
    assert.isEmpty(files.filter((file) => file.split("/").length > 4))
    const entries = [...imports.keys()].map((folder) => ({
      folder,
      count: readdirSync(posix.join(house, folder)).length
    }))
    assert.isEmpty(entries.filter(({ count }) => count <= 2))
  })
})

describe("the files", () => {
  it("have at most 310 lines", () => {
    const lengthOf = (file: string) => readFileSync(posix.join(house, file), "utf8").split("\n").length
    assert.isEmpty(files.filter((file) => lengthOf(file) > 310))
  })
})

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

const core = ["core/workflows", "core/ports", "core/telemetry", "core/domain"]

type Arrows = Readonly<Record<string, ReadonlyArray<string>>>

const service: Arrows = {
  "core/domain": [],
  "core/ports": ["core/domain"],
  "core/telemetry": ["core/domain"],
  "core/workflows": ["core/ports", "core/telemetry", "core/domain"],
  "adapters/postgres": ["core/ports", "core/telemetry", "core/domain"],
  facade: [
    ...core,
    "adapters/postgres",
    "facade/api",
    "facade/console",
    "facade/http",
    "facade/ops",
    "facade/processes",
    "facade/settings"
  ],
  "facade/settings": [...core, "adapters/postgres"],
  "facade/api": core,
  "facade/client": ["core/domain", "facade/api"],
  "facade/console": [...core, "facade/api", "facade/http", "facade/settings", "facade/console/api"],
  "facade/console/api": [...core, "facade/api", "facade/settings"],
  "facade/console/page": ["core/domain", "facade/console", "facade/console/ui"],
  "facade/console/ui": [],
  "facade/docs": [...core, "facade/api"],
  "facade/http": [...core, "facade/api", "facade/docs", "facade/settings"],
  "facade/ops": [...core, "adapters/postgres", "facade/http", "facade/settings"],
  "facade/processes": [...core, "adapters/postgres", "facade/ops"],
  "facade/cli": [...core, "adapters/postgres", "facade/settings", "facade/cli/commands", "facade/cli/terminal"],
  "facade/cli/terminal": [...core, "facade/settings"],
  "facade/cli/checks": [...core, "adapters/postgres", "facade/settings"],
  "facade/cli/commands": [
    ...core,
    "adapters/postgres",
    "facade",
    "facade/api",
    "facade/settings",
    "facade/cli/checks",
    "facade/cli/terminal"
  ]
}

const shared = [...Object.keys(service), "test/fakes", "test/support"]
const suites = ["test/bench", "test/crash", "test/fuzz", "test/prove", "test/simulation"]

/** The allowed imports of each folder, as drawn in docs/architecture.md. Every other import is refused. */
const arrows: Arrows = {
  ...service,
  "test/fakes": Object.keys(service),
  "test/support": [...Object.keys(service), "test/fakes"],
  ...Object.fromEntries(suites.map((suite) => [suite, shared])),
  "test/unit": [...shared, ...suites]
}

const folders = Object.keys(arrows)

/** One file for each pair of folders, which imports from the second folder by a relative path. */
const everyImport = folders.flatMap((from) =>
  folders.map((to) => ({ from, to, file: `${from}/${to.replaceAll("/", "-")}.ts` }))
)

/**
 * The files that the linter refuses. They are checked in a temporary folder with one file for each import and the
 * repository's lint rules.
 */
const refused = (): ReadonlyArray<string> => {
  const house = mkdtempSync(join(tmpdir(), "saldo-layers-"))
  try {
    copyFileSync(at("biome.json"), join(house, "biome.json"))
    for (const { from, to, file } of everyImport) {
      mkdirSync(join(house, from), { recursive: true })
      const way = posix.relative(from, posix.join(to, "There.ts"))
      writeFileSync(join(house, file), `export { there } from "${way.startsWith(".") ? way : `./${way}`}"\n`)
    }
    const { stdout } = spawnSync(
      process.execPath,
      [
        at("node_modules/@biomejs/biome/bin/biome"),
        "lint",
        "--only=style/noRestrictedImports",
        "--max-diagnostics=none",
        "--reporter=json",
        "."
      ],
      { cwd: house, encoding: "utf8" }
    )
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: ReadonlyArray<{ location: { path: string } }> }
    return diagnostics.map(({ location }) => location.path)
  } finally {
    rmSync(house, { recursive: true })
  }
}

describe("the layers", () => {
  it("refuse exactly the imports that are not allowed", () => {
    const against = everyImport.filter(({ from, to }) => from !== to && !arrows[from]?.includes(to))
    assert.sameMembers(
      [...refused()],
      against.map(({ file }) => file)
    )
  })

  it.each(["core", "facade"])("have import rules for each folder of %s", (top) => {
    assert.sameMembers(
      folders.filter((folder) => folder.split("/")[0] === top),
      [...new Set(sourcesIn(top).map(posix.dirname))]
    )
  })
})
