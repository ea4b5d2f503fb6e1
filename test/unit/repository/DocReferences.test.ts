import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const textOf = (file: string): string => readFileSync(join(root, file), "utf8")

const pages = globSync(["*.md", "docs/**/*.md", "test/*.md"], { cwd: root })

/** Files that a command generates; git ignores them. */
const generated = textOf(".gitignore").split("\n")

/** A path in one of the source folders, including folders that existed in earlier versions. */
const path =
  /(?<![\w./-])(?:core|adapters|facade|sql|test|docs|ops|scripts|tools|simulation|crash|fuzz|prove|bench)\/[\w./*@-]*\w/g

const isThere = (name: string): boolean =>
  generated.includes(name) ||
  (name.includes("*") ? globSync(name, { cwd: root }).length > 0 : existsSync(join(root, name)))

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-")

const anchorsOf = (page: string): ReadonlyArray<string> =>
  Array.from(textOf(page).matchAll(/^#+ (.+)$/gm), ([, heading = ""]) => anchorOf(heading))

/** Whether a link on a page leads to an existing file and, with an anchor, to a heading of that file. */
const leadsSomewhere = (page: string, link: string): boolean => {
  const [file = "", anchor] = link.split("#")
  const target = file === "" ? page : normalize(join(dirname(page), file))
  return existsSync(join(root, target)) && (anchor === undefined || anchorsOf(target).includes(anchor))
}

describe.each(pages)("%s", (page) => {
  it("names only files that exist", () => {
    const named = Array.from(textOf(page).matchAll(path), ([name]) => name)
    assert.deepStrictEqual([...new Set(named.filter((name) => !isThere(name)))], [])
  })

  it("has only links that lead to a file and a heading", () => {
    const links = Array.from(textOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link)
    assert.deepStrictEqual(
      links.filter((link) => !link.includes("://") && !leadsSomewhere(page, link)),
      []
    )
  })
})

describe("docs/proof.md", () => {
  const claims = Array.from(textOf("docs/proof.md").matchAll(/^\| \d+ \|.+$/gm), ([row]) => row)

  it.each(["simulation", "crash"])("quotes only invariants that the %s run checks", (run) => {
    const quoted = claims.flatMap((claim) => {
      const [, names = ""] = new RegExp(`${run} ((?:"[^"]+"(?:, |, and [^;"]+)?)+)`).exec(claim) ?? []
      return Array.from(names.matchAll(/"([^"]+)"/g), ([, name = ""]) => name)
    })
    assert.isAbove(quoted.length, 5)
    const code = globSync(`test/${run}/**/*.ts`, { cwd: root }).map(textOf).join("\n")
    assert.deepStrictEqual(
      quoted.filter((name) => !code.includes(`"${name}"`)),
      []
    )
  })
})
