import { rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

/** A file of this content, for as long as the test runs. */
export const fileOf = (name: string, content: string) => {
  const path = join(tmpdir(), `saldo-${process.pid}-${name}.json`)
  return Effect.acquireRelease(
    Effect.as(
      Effect.promise(() => writeFile(path, content)),
      path
    ),
    () => Effect.promise(() => rm(path))
  )
}
