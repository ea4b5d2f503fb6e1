import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { postgresPidOf } from "./EmbeddedDatabases.ts"

/** What the tests look at in an answer. */
interface PrintedAnswer {
  readonly data: { readonly transaction_id: number; readonly status: string }
  readonly error: { readonly code: string }
}

/** The sale that the server's own words tell a newcomer to make. */
export const sellAsPrinted = (output: string) => {
  const [, url = ""] = /curl -sk? (\S+)/.exec(output) ?? []
  const headers = [...output.matchAll(/-H '([\w-]+): (.+)'/g)].map(
    ([, name = "", value = ""]) => [name, value] as const
  )
  const [, body = ""] = /-d '(.+)'/.exec(output) ?? []
  return Effect.promise(async () => {
    const response = await fetch(url, { method: "POST", headers: headers.map((header) => [...header]), body })
    return { response, body: (await response.json()) as PrintedAnswer }
  })
}

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

/** A test starts several processes, on a machine that does other things: slow is not wrong. */
export const timeout_ms = 180_000
