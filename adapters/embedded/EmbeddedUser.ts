import { readFileSync } from "node:fs"
import { EmbeddedFailed } from "./EmbeddedFailed.ts"

/** Who Postgres runs as. */
export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

const preferred = ["postgres", "nobody", "daemon"]

/**
 * The user to switch to, because Postgres refuses to run as root: `postgres` where it exists, else one without
 * privileges that does. Null for an ordinary user, as whom Postgres simply runs.
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
    message: "Postgres does not run as root and /etc/passwd has no other user: run as another user or set DATABASE_URL"
  })
}
