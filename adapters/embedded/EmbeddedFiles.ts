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

/** Whether the user may enter the directory, and so every directory above it. */
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

/** Makes a directory that is the user's alone. */
export const makeOwned = (directory: string, user: SystemUser | null): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  own(directory, user)
}

/** Gives a file or a directory to the user, and to nobody else. */
export const own = (path: string, user: SystemUser | null): void => {
  chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600)
  if (user !== null) chownSync(path, user.uid, user.gid)
}

/** Gives a directory to the user with all that is in it. */
export const ownAll = (directory: string, { gid, uid }: SystemUser): void => {
  for (const entry of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    lchownSync(join(directory, entry), uid, gid)
  }
  chownSync(directory, uid, gid)
}

/**
 * Has `fill` make a directory aside and puts it in place when it is whole, so that a process that dies midway leaves
 * nothing that looks finished. Of several processes at once, one wins and the others use what it made.
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
