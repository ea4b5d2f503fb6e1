import { randomUUID } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { EmbeddedPostgres } from "../../../adapters/embedded/EmbeddedPostgres.ts"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import * as VitalSignsPostgres from "../../../adapters/postgres/reads/VitalSignsPostgres.ts"
import { migrate } from "../../../adapters/postgres/schema/Migrations.ts"
import { VitalSigns } from "../../../core/ports/VitalSigns.ts"
import { fakeHttpProvider } from "../../fakes/HttpSuppliers.ts"
import { commandLineOn } from "../../support/CommandLine.ts"
import { freshDatabaseUrl } from "../../support/Database.ts"
import { copyDatabase, runStatement } from "../../support/EmbeddedDatabases.ts"
import { serving, stopped } from "../../support/SaldoProcess.ts"
import { type Credentials, createProductionCompany, postSale } from "../support/ProductionCompany.ts"

/** A Postgres server whose archive command fails. */
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

layer(Archiving, { excludeTestServices: true, timeout: "2 minutes" })("the archive of the write-ahead log", (it) => {
  const failing = Effect.map(
    VitalSigns.use(({ read }) => read),
    ({ archiveFailing }) => archiveFailing
  )
  const comesToBe = (wanted: boolean) =>
    failing.pipe(
      Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: (is) => is === wanted }),
      Effect.timeout("1 minute")
    )

  it.effect("is reported as failing for as long as the archive command fails", () =>
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

const secret = "0123456789abcdef0123456789abcdef"

/** The SQL statement in docs/operating.md that skips ids issued before a restore. */
const skippingIds = (): string => {
  const page = readFileSync(new URL("../../../docs/operating.md", import.meta.url), "utf8")
  const [, statement] = /```sql\n((?:(?!```)[\s\S])*setval[\s\S]*?)```/.exec(page) ?? []
  if (statement === undefined) throw new Error("docs/operating.md does not say how ids are skipped")
  return statement.trim().replace(/;$/, "")
}

interface Answered {
  readonly data?: { readonly transaction_id: number }
  readonly error?: { readonly details: { readonly transaction_id: number } }
}

/** Starts a server, sells once and stops the server. Returns the id of the transaction. */
const sellOn = Effect.fnUntraced(function* (
  environment: Readonly<Record<string, string>>,
  token: Credentials,
  key: string
) {
  const server = yield* serving(environment)
  const response = yield* postSale(server.url, token, key)
  const { data, error } = yield* Effect.promise(() => response.json() as Promise<Answered>)
  yield* stopped(server, "SIGTERM")
  return data?.transaction_id ?? error?.details.transaction_id
})

describe("a sale that is missing after a restore", () => {
  it.live("is recorded under a new id when its company retries it, and delivered only once", () =>
    Effect.gen(function* () {
      const provider = yield* fakeHttpProvider(secret)
      const lost = yield* freshDatabaseUrl
      const { answer } = commandLineOn(lost)
      const { companyId, token } = yield* createProductionCompany(answer)

      const restored = yield* copyDatabase(lost, new URL(lost).pathname.slice(1), `restored_${randomUUID()}`)
      const gateway = { PROVIDER: "http", PROVIDER_URL: provider.url, PROVIDER_SECRET: secret }
      const first = yield* sellOn({ ...gateway, DATABASE_URL: lost }, token, "venta-1")
      const sold = yield* answer("transactions", "show", `${first}`)
      assert.strictEqual(sold.status, "SUCCESS")

      yield* runStatement(restored, skippingIds())
      const again = yield* sellOn({ ...gateway, DATABASE_URL: restored }, token, "venta-1")
      assert.isAbove(again ?? 0, first ?? 0)
      const after = commandLineOn(restored, gateway)
      yield* after.answer("reconcile")
      const { auth_code, status, xid } = yield* after.answer("transactions", "show", `${again}`)
      assert.deepStrictEqual([status, xid, auth_code], ["SUCCESS", sold.xid, sold.auth_code])
      assert.strictEqual(provider.truth.of(xid).times, 1)

      const { saldo_actual } = yield* after.answer("company", "show", `${companyId}`)
      assert.strictEqual(saldo_actual, 900)
      assert.isTrue((yield* after.answer("audit")).ok)
    })
  )
})
