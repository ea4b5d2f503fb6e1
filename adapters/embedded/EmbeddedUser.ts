import { readFileSync } from "node:fs"
import { EmbeddedFailed } from "./EmbeddedFailed.ts"

/** The system user that runs Postgres. */
export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

const preferred = ["postgres", "nobody", "daemon"]

/**
 * The user that runs Postgres in place of root, because Postgres refuses to run as root: `postgres` if it exists,
 * otherwise an existing unprivileged user. Null if this process does not run as root; then Postgres runs as the same
 * user.
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
