import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

/** The facts about a package in the lock file. */
interface Locked {
  readonly integrity?: string
  readonly resolved?: string
  /** Whether the entry is a folder of this project. */
  readonly link?: boolean
}

const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8")
)

const locked = Object.entries(lock.packages).filter(([path, { link }]) => path.includes("node_modules/") && !link)

describe("the lock file", () => {
  // npm writes no hash for packages of other platforms when node_modules already exists. To add the hashes, delete these
  // entries from a copy of the lock file and run `npm install --package-lock-only` in its folder.
  it("has a hash for the archive of every package", () => {
    assert.isNotEmpty(locked)
    assert.isEmpty(locked.flatMap(([path, { integrity = "" }]) => (/^sha512-\S{88}$/.test(integrity) ? [] : [path])))
  })

  it("downloads every package from the public registry", () => {
    const hosts = locked.flatMap(([, { resolved }]) => (resolved === undefined ? [] : [new URL(resolved).host]))
    assert.isEmpty(hosts.filter((host) => host !== "registry.npmjs.org"))
  })
})
