import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { migrate } from "../../adapters/postgres/schema/Migrations.ts"
import { makeLogins } from "./DatabaseLogins.ts"
import { copyDatabase } from "./EmbeddedDatabases.ts"
import { setBlockLength } from "./SalesHistory.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The server of this run. Its database template_saldo is migrated: tests copy it and do not open it. */
    readonly postgresUrl: string
  }
}

// Nothing of it outlives the run, so nothing has to reach the disk: the tests kill processes, not the machine.
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" }

/** So short that whatever sells a little makes some, and the audits after it hold them against the rows. */
const blockLength = 4

const removedAtTheEnd = (path: string) =>
  Effect.addFinalizer(() => Effect.sync(() => rmSync(path, { recursive: true, force: true })))

const start = Effect.gen(function* () {
  const dataDirectory = mkdtempSync(join(tmpdir(), "saldo-test-"))
  yield* removedAtTheEnd(dataDirectory)
  const embedded = Context.get(
    yield* Layer.build(EmbeddedPostgres.layer({ dataDirectory, settings })),
    EmbeddedPostgres
  )
  const url = Redacted.value(embedded.url)
  const template = yield* copyDatabase(url, "template0", "template_saldo")
  yield* Effect.provide(
    Effect.andThen(migrate, setBlockLength(blockLength)),
    Database.layer({ url: Redacted.make(template), connections_max: 1 })
  )
  yield* makeLogins(url)
  return url
})

/** One Postgres for a run of the tests; it goes with the run. */
export const setup = async (project: TestProject) => {
  const scope = Scope.makeUnsafe()
  const teardown = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const started = await Effect.runPromiseExit(Scope.provide(start, scope))
  if (Exit.isFailure(started)) await teardown()
  project.provide("postgresUrl", await Effect.runPromise(started))
  return teardown
}
