import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"

/** An embedded Postgres as Saldo starts it, with its own settings; its data goes with it. */
export const temporaryPostgres = Layer.unwrap(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "saldo-tools-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ).pipe(Effect.map((dataDirectory) => EmbeddedPostgres.layer({ dataDirectory })))
)
