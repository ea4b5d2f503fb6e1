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
  readFileSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { Schema } from "effect"

/** The embedded Postgres cannot start. The message states the problem and the remedy in one line. */
export class EmbeddedFailed extends Schema.TaggedError<EmbeddedFailed>()("EmbeddedFailed", {
  message: Schema.String
}) {}

/** Runs a file operation. A failure becomes `EmbeddedFailed` with this message and Node's error code. */
export const attempt = <A>(run: () => A, message: string): A => {
  try {
    return run()
  } catch (cause) {
    if (cause instanceof EmbeddedFailed) throw cause
    throw new EmbeddedFailed({ message: `${message} (${codeOf(cause)})` })
  }
}

/** Node's code of a failed system call, for example ENOENT. Without a code, the error as text. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)

/** Returns the text of a file that another process may remove at any time. Null if the file does not exist. */
export const textIn = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    // Reading a file below /proc fails with ESRCH if its process ends after the file was opened.
    if (["ENOENT", "ESRCH"].includes(codeOf(cause))) return null
    throw cause
  }
}

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

/** Makes a file or directory accessible to its owner only, and makes the user its owner. */
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
 * dies midway leaves no directory that looks complete. If several processes create it at the same time, all of them use the
 * directory that was renamed first.
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

/** The system user that runs Postgres. */
export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

const preferred = ["postgres", "nobody", "daemon"]

/**
 * The user that runs Postgres if this process runs as root, because Postgres refuses to run as root. It is the user
 * `postgres` if that user exists, otherwise another unprivileged user. Null if this process does not run as root;
 * Postgres then runs as the user of this process.
 */
export const findUser = (): SystemUser | null => {
  if (process.geteuid?.() !== 0) return null
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ gid, uid }) => uid > 0 && gid > 0)
  const chosen = preferred.flatMap((name) => users.filter((user) => user.name === name)).at(0) ?? users.at(0)
  if (chosen !== undefined) return { uid: chosen.uid, gid: chosen.gid }
  throw new EmbeddedFailed({
    message:
      "Postgres cannot run as root, and /etc/passwd has no other user: run Saldo as another user or set DATABASE_URL"
  })
}
