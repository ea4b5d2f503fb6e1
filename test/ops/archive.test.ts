import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"
import * as Database from "../../adapters/postgres/Database.ts"
import { migrate } from "../../adapters/postgres/Migrations.ts"
import * as VitalSignsPostgres from "../../adapters/postgres/VitalSignsPostgres.ts"
import { VitalSigns } from "../../core/ports/VitalSigns.ts"

/** A server of its own, whose archive is away. */
const Archiving = Layer.unwrap(
  Effect.gen(function* () {
    const dataDirectory = mkdtempSync(join(tmpdir(), "saldo-archive-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(dataDirectory, { recursive: true, force: true })))
    const settings = { fsync: "off", archive_mode: "on", archive_command: "false" }
    return VitalSignsPostgres.layer.pipe(
      Layer.provideMerge(Layer.effectDiscard(migrate)),
      Layer.provideMerge(
        Layer.unwrap(EmbeddedPostgres.useSync(({ url }) => Database.layer({ url, connections_max: 2 })))
      ),
      Layer.provide(EmbeddedPostgres.layer({ dataDirectory, settings }))
    )
  })
)

layer(Archiving, { excludeTestServices: true, timeout: "2 minutes" })("a log that is archived", (it) => {
  const failing = Effect.map(
    VitalSigns.use(({ read }) => read),
    ({ archiveFailing }) => archiveFailing
  )
  const comesToBe = (wanted: boolean) =>
    failing.pipe(
      Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: (is) => is === wanted }),
      Effect.timeout("1 minute")
    )

  it.effect("is told to fail while its command does, and no longer", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`select pg_switch_wal()::text`
      yield* comesToBe(true)
      yield* sql`alter system set archive_command = 'true'`.unprepared
      yield* sql`select pg_reload_conf()`
      yield* comesToBe(false)
    })
  )
})
