import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import manifest from "../../../package.json" with { type: "json" }

const at = (path: string) => new URL(`../../../${path}`, import.meta.url)
const textOf = (path: string) => readFileSync(at(path), "utf8")

/** The names in the first cell of each table row, split at commas. */
const named = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = ""]) => cell.split(", "))

describe("docs/architecture.md", () => {
  const architecture = textOf("docs/architecture.md")

  it("gives a reason for each package of package.json, and for no other", () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest
    const packages = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    const rows = named(architecture.slice(architecture.indexOf("\n## Dependencies")))
    const hasRow = (name: string) => rows.includes(name) || rows.includes(name.replace(/\/.*/, "/*"))
    assert.isEmpty(packages.filter((name) => !hasRow(name)))
    const headings = ["Package", "---"]
    const isThere = (name: string) => packages.some((each) => each === name || each.replace(/\/.*/, "/*") === name)
    assert.isEmpty(rows.filter((name) => !headings.includes(name) && !/^-+$/.test(name) && !isThere(name)))
  })

  it("names every port", () => {
    const row = /^\| core\/ports \|.*$/m.exec(architecture)?.[0] ?? ""
    const ports = readdirSync(at("core/ports")).map((file) => file.replace(/\.ts$/, ""))
    assert.sameMembers(row.match(/\b[A-Z]\w+/g) ?? [], ports)
  })
})

describe("test/README.md", () => {
  it("has a row for each folder of test/, and no row for anything else", () => {
    const folders = readdirSync(at("test"), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    const rows = named(textOf("test/README.md")).filter((name) => name.startsWith("test/"))
    assert.sameMembers(
      rows,
      folders.map(({ name }) => `test/${name}`)
    )
  })
})
