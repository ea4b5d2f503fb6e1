import { readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const house = fileURLToPath(new URL("../../", import.meta.url))

const tops = readdirSync(house, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name))
  .map(({ name }) => name)

const files = tops.flatMap((top) =>
  readdirSync(posix.join(house, top), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => posix.join(top, file))
)

/** Where a file imports from, by folder. */
const importedBy = (file: string): ReadonlyArray<string> =>
  [...readFileSync(posix.join(house, file), "utf8").matchAll(/\b(?:from|import) "(\.[^"]+\.ts)"/g)].map(
    ([, path = ""]) => posix.dirname(posix.join(posix.dirname(file), path))
  )

const imports = new Map<string, Set<string>>()
for (const file of files) {
  const folder = posix.dirname(file)
  const known = imports.get(folder) ?? new Set()
  imports.set(folder, new Set([...known, ...importedBy(file).filter((other) => other !== folder)]))
}

/**
 * What is left when every folder is taken away that imports none of the others, or is imported by none: the circles.
 */
const circles = (folders: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyArray<string> => {
  const imported = new Set([...folders.values()].flatMap((others) => [...others]))
  const left = new Map(
    [...folders].filter(([folder, others]) => imported.has(folder) && [...others].some((other) => folders.has(other)))
  )
  return left.size === folders.size ? [...left.keys()] : circles(left)
}

describe("the folders", () => {
  it("import each other in no circle", () => {
    assert.isAbove(imports.size, 50)
    assert.isEmpty(circles(imports))
  })
})
