import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { postgresPidOf } from "./EmbeddedDatabases.ts"

/** The fields of a response that the tests check. */
interface PrintedAnswer {
  readonly data: { readonly transaction_id: number; readonly status: string }
  readonly error: { readonly code: string }
}

/** Makes the sale that the server shows to a new user in its output at the first start. */
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

/**
 * A temporary directory. After the test it is deleted, and a Postgres that a failed test left running in it is killed.
 */
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
    // The test has already killed the Postgres.
  }
}

/** Timeout of a test that starts several processes. It allows for a busy machine. */
export const timeout_ms = 180_000
