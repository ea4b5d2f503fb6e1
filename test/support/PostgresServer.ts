import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { migrate } from "../../adapters/postgres/schema/Migrations.ts"
import { makeLogins } from "./DatabaseLogins.ts"
import { copyDatabase } from "./EmbeddedDatabases.ts"
import { addNodeCell } from "./NodeCells.ts"
import { setBlockLength, testBlockLength } from "./SalesHistory.ts"
import { addCell, viewTables } from "./SeveralCells.ts"

declare module "vitest" {
  interface ProvidedContext {
    /**
     * URL of the Postgres server of this test run. Its database template_saldo is migrated. In template_cells the cells
     * norte and este are added, and este is on the node of template_node. Tests copy these databases and never open them.
     */
    readonly postgresUrl: string
  }
}

// No data has to reach the disk: the run deletes the data at its end, and tests kill processes but not the machine.
// Autovacuum is on, as `saldo doctor` demands, but sleeps for a day. A running autovacuum would visit hundreds of
// databases, and would change the statistics on which query plans depend.
export const fastSettings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
  // The write-ahead log may be in memory, so it must stay small.
  max_wal_size: "256MB",
  autovacuum_naptime: "1d"
}

const removedAtTheEnd = (path: string) =>
  Effect.addFinalizer(() => Effect.sync(() => rmSync(path, { recursive: true, force: true })))

/** A file system in the memory of Linux. */
const memory = "/dev/shm"

/** Minimum free memory, in bytes, to keep the databases of a run in memory. Together they need less than 4 GB. */
const freeMemory_min = 8 * 1024 ** 3

/**
 * Parent of the data directory: in memory if there is room. A run copies hundreds of databases of 550 files,
 * and each copy on a disk takes 130 ms of a core.
 */
const parentDirectory = (): string => {
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return Math.min(process.availableMemory(), bavail * bsize) < freeMemory_min ? tmpdir() : memory
}

const start = Effect.gen(function* () {
  const dataDirectory = mkdtempSync(join(parentDirectory(), "saldo-test-"))
  yield* removedAtTheEnd(dataDirectory)
  const embedded = Context.get(
    yield* Layer.build(EmbeddedPostgres.layer({ dataDirectory, settings: fastSettings })),
    EmbeddedPostgres
  )
  const url = Redacted.value(embedded.url)
  const template = yield* copyDatabase(url, "template0", "template_saldo")
  yield* Effect.provide(
    Effect.andThen(migrate, setBlockLength(testBlockLength)),
    Database.layer({ url: Redacted.make(template), connections_max: 1 })
  )
  const directory = yield* copyDatabase(url, "template_saldo", "template_cells")
  const node = yield* copyDatabase(url, "template0", "template_node")
  yield* Effect.provide(
    Effect.andThen(Effect.andThen(addCell("norte"), viewTables("norte")), addNodeCell("este", "este", node)),
    Database.layer({ url: Redacted.make(directory), connections_max: 1 })
  )
  yield* makeLogins(url)
  return url
})

/** Starts one Postgres for the whole test run and stops it at the end. */
export const setup = async (project: TestProject) => {
  const scope = Scope.makeUnsafe()
  const teardown = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const started = await Effect.runPromiseExit(Scope.provide(start, scope))
  if (Exit.isFailure(started)) await teardown()
  project.provide("postgresUrl", await Effect.runPromise(started))
  return teardown
}
