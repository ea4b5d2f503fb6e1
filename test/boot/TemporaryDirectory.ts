import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { postgresPidOf } from "../support/EmbeddedDatabases.ts"

/** A directory that is gone when the test is over, with a Postgres that a failed test may have left in it. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "saldo-boot-"))),
  (directory) =>
    Effect.sync(() => {
      const left = postgresPidOf(directory)
      if (left !== null) killAny(left)
      rmSync(directory, { recursive: true, force: true })
    })
)

const killAny = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It was killed by the test itself.
  }
}
