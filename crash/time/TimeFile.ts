import { closeSync, openSync, readSync, writeSync } from "node:fs"
import { Effect } from "effect"

const bytes_max = 8

/**
 * Tells by how much the time of a run is ahead of the machine's: from a file, because whoever was stopped must see it
 * at once.
 */
export const readingTimeFile = (path: string): (() => number) => {
  const file = openSync(path, "r")
  const bytes = Buffer.alloc(bytes_max)
  return () => {
    readSync(file, bytes, 0, bytes_max, 0)
    return bytes.readDoubleLE()
  }
}

/** Makes the file for a run that is not ahead yet; answers how to write into it. */
export const timeFile = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => openSync(path, "w")),
    (file) => Effect.sync(() => closeSync(file))
  ).pipe(
    Effect.map((file) => (ahead_ms: number) => {
      const bytes = Buffer.alloc(bytes_max)
      bytes.writeDoubleLE(ahead_ms)
      writeSync(file, bytes, 0, bytes_max, 0)
    }),
    Effect.tap((write) => Effect.sync(() => write(0)))
  )
