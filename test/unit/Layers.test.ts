import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** What a file of each folder may import: the arrows of docs/architecture.md. Whatever is not here is refused. */
const arrows: Readonly<Record<string, ReadonlyArray<string>>> = {
  "core/domain": [],
  "core/ports": ["core/domain"],
  "core/telemetry": ["core/domain"],
  "core/workflows": ["core/ports", "core/telemetry", "core/domain"],
  "adapters/postgres": ["core/ports", "core/telemetry", "core/domain"],
  "facade/trpc": ["adapters/postgres", "core/workflows", "core/ports", "core/telemetry", "core/domain"]
}

const folders = Object.keys(arrows)

/** The path of an import of each folder by each, as one would write it. */
const everyImport = folders.flatMap((from) =>
  folders.map((to) => ({ from, to, file: `${from}/${to.replace("/", "-")}.ts` }))
)

/** The files that the linter refuses, among one for each import, in a folder with nothing but our rules. */
const refused = (): ReadonlyArray<string> => {
  const house = mkdtempSync(join(tmpdir(), "saldo-layers-"))
  try {
    copyFileSync(at("biome.json"), join(house, "biome.json"))
    for (const { from, to, file } of everyImport) {
      mkdirSync(join(house, from), { recursive: true })
      const way = from === to ? "." : posix.relative(from, to)
      writeFileSync(join(house, file), `export { there } from "${way}/There.ts"\n`)
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
  it("refuse every import against an arrow, and no other", () => {
    const against = everyImport.filter(({ from, to }) => from !== to && !arrows[from]?.includes(to))
    assert.sameMembers(
      [...refused()],
      against.map(({ file }) => file)
    )
  })

  it("have an arrow for each folder of core", () => {
    assert.sameMembers(
      folders.filter((folder) => folder.startsWith("core/")),
      readdirSync(at("core")).map((folder) => `core/${folder}`)
    )
  })
})
