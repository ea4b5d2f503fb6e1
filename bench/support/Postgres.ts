import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"

/** The process that all others of the Postgres descend from. Its data directory says which it is, in its first line. */
export const postmaster = EmbeddedPostgres.useSync(({ directory }) =>
  Number(readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n")[0])
)

/** An embedded Postgres as Saldo starts it, with its own settings; its data goes with it. */
export const temporaryPostgres = Layer.unwrap(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "saldo-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ).pipe(Effect.map((dataDirectory) => EmbeddedPostgres.layer({ dataDirectory })))
)
