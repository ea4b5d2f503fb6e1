import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import type { SystemUser } from "./EmbeddedUser.ts"

/** Whether the user may enter the directory and every directory above it. */
export const canReach = (directory: string, user: SystemUser | null): boolean => {
  if (user === null) return canEnter(directory)
  for (let step = directory; ; step = dirname(step)) {
    if (!mayEnter(step, user)) return false
    if (step === dirname(step)) return true
  }
}

const canEnter = (directory: string): boolean => {
  try {
    accessSync(directory, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const mayEnter = (directory: string, { gid, uid }: SystemUser): boolean => {
  const stat = statSync(directory)
  const shift = stat.uid === uid ? 6 : stat.gid === gid ? 3 : 0
  return ((stat.mode >> shift) & 1) === 1
}

/** Creates a directory that only the user can access. */
export const makeOwned = (directory: string, user: SystemUser | null): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  own(directory, user)
}

/** Makes the user the only one with access to a file or directory. */
export const own = (path: string, user: SystemUser | null): void => {
  chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600)
  if (user !== null) chownSync(path, user.uid, user.gid)
}

/** Makes the user the owner of a directory and of everything in it. */
export const ownAll = (directory: string, { gid, uid }: SystemUser): void => {
  for (const entry of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    lchownSync(join(directory, entry), uid, gid)
  }
  chownSync(directory, uid, gid)
}

/**
 * Creates a directory atomically: `fill` writes a temporary directory, which is renamed when complete. A process that
 * dies midway leaves no directory that looks complete. If several processes do this at once, one wins and the others
 * use its directory.
 */
export const makeWhole = async (
  directory: string,
  user: SystemUser | null,
  fill: (aside: string) => Promise<void>
): Promise<void> => {
  if (existsSync(directory)) return
  const aside = mkdtempSync(join(dirname(directory), `${basename(directory)}.`))
  try {
    own(aside, user)
    await fill(aside)
    renameSync(aside, directory)
  } catch (cause) {
    if (!existsSync(directory)) throw cause
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}
