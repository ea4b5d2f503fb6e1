import { createServer } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, References } from "effect"
import { inject } from "vitest"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { invariants } from "../../../core/domain/Invariants.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { Gauges } from "../../../facade/ops/Gauges.ts"
import { Health } from "../../../facade/ops/Health.ts"
import { Readiness } from "../../../facade/ops/Monitoring.ts"
import * as Ops from "../../../facade/ops/OperationsPort.ts"
import { Settings } from "../../../facade/settings/Settings.ts"
import { listenLocally } from "../../fakes/LocalServer.ts"
import { testDatabaseUrl } from "../../support/Database.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { sell } from "../../support/service/HttpCalls.ts"
import { getOperations, metrics, monitoredServer, sendUntilClosed } from "../support/MonitoredServer.ts"

const readyz = Effect.map(getOperations("/readyz"), ({ status, text }) => ({
  status,
  missing: JSON.parse(text).missing
}))

/**
 * Runs a statement from another database of the same server, because the test's own database accepts no connections.
 */
const elsewhere = (statement: string) =>
  PgClient.PgClient.use((sql) => sql.unsafe(statement)).pipe(
    Effect.provide(Layer.fresh(Database.layer({ url: Redacted.make(inject("postgresUrl")), connections_max: 1 })))
  )

const diskFull = "53100"
/** The SQLSTATE of a fault in a single sale. The database can still store other sales. */
const violatedCheck = "23514"

layer(monitoredServer(), { excludeTestServices: true })("a server", (it) => {
  it.effect("is ready after the first recovery cycle and not ready after 3 minutes without a cycle", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      assert.deepStrictEqual(yield* readyz, { status: 503, missing: ["recovery"] })
      yield* recover("due")
      assert.deepStrictEqual(yield* readyz, { status: 200, missing: [] })
      yield* pass("3 minutes")
      assert.deepStrictEqual(yield* readyz, { status: 503, missing: ["recovery"] })
      yield* recover("due")
      assert.strictEqual((yield* readyz).status, 200)
    })
  )

  it.effect("is not ready on a schema of another version", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const sql = yield* PgClient.PgClient
      yield* recover("due")
      const [known] = yield* sql<{
        digest: string
      }>`select digest from cell.schema_file where name = 'functions/settle'`
      yield* sql`update cell.schema_file set digest = 'another' where name = 'functions/settle'`
      yield* pass("40 seconds")
      assert.deepStrictEqual(yield* readyz, { status: 503, missing: ["migrations"] })
      yield* sql`update cell.schema_file set digest = ${known?.digest ?? ""} where name = 'functions/settle'`
      assert.strictEqual((yield* readyz).status, 200)
    })
  )

  it.effect(
    "is not ready after the database failed to store three sales, until it stores a sale or half a minute passes",
    () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const sql = yield* PgClient.PgClient
        const { auth } = yield* customer()
        const wanted = { service_id: 1, identifier: "8095550123", amount: 20 }
        const selling = Effect.map(
          Effect.suspend(() => sell(wanted, auth)),
          ({ status }) => status
        )
        const failing = Effect.gen(function* () {
          assert.strictEqual(yield* selling, 500)
          return (yield* readyz).missing
        })
        yield* recover("due")
        yield* sql`
          create function public.fail_to_store() returns trigger language plpgsql
          as $$ begin raise 'could not store' using errcode = tg_argv[0]; end $$`
        const storeAgain = sql`drop trigger fail_to_store on cell.transaction`
        const failWith = (state: string) =>
          sql.unsafe(`
          create trigger fail_to_store before insert on cell.transaction
          for each row execute function public.fail_to_store('${state}')`)
        yield* failWith(diskFull)
        assert.deepStrictEqual([yield* failing, yield* failing, yield* failing], [[], [], ["writes"]])
        yield* pass("29 seconds")
        assert.deepStrictEqual(yield* readyz, { status: 503, missing: ["writes"] })
        assert.isAbove((yield* metrics).get('saldo_writes_failing_timestamp_seconds{cell="cell"}') ?? 0, 0)
        yield* pass("1 second")
        assert.deepStrictEqual(yield* readyz, { status: 200, missing: [] })
        assert.deepStrictEqual(yield* failing, ["writes"])
        yield* storeAgain
        assert.strictEqual(yield* selling, 201)
        assert.deepStrictEqual(yield* readyz, { status: 200, missing: [] })
        assert.strictEqual((yield* metrics).get('saldo_writes_failing_timestamp_seconds{cell="cell"}'), 0)
        yield* failWith(violatedCheck)
        for (const _ of [1, 2, 3, 4]) assert.deepStrictEqual(yield* failing, [])
        yield* storeAgain
      })
  )

  it.effect("is not ready on a read-only database", () =>
    Effect.gen(function* () {
      const database = new URL(yield* testDatabaseUrl).pathname.slice(1)
      const reconnectWith = Effect.fnUntraced(function* (statement: string) {
        yield* elsewhere(`alter database "${database}" ${statement}`)
        yield* elsewhere(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
      })
      yield* recover("due")
      yield* reconnectWith("set default_transaction_read_only = on")
      yield* eventually(readyz, ({ missing }) => missing.includes("database"))
      yield* reconnectWith("reset default_transaction_read_only")
      yield* eventually(readyz, ({ status }) => status === 200)
    })
  )

  it.effect("stays alive without its database, and reports the database as down and its measurements as unknown", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const database = new URL(yield* testDatabaseUrl).pathname.slice(1)
      yield* elsewhere(`alter database "${database}" with allow_connections false`)
      yield* elsewhere(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
      yield* pass("10 seconds")
      const gone = yield* metrics
      assert.strictEqual(gone.get("saldo_database_up"), 0)
      assert.isNaN(gone.get('saldo_held_pesos{ambiente="production"}'))
      assert.include((yield* readyz).missing, "database")
      assert.strictEqual((yield* getOperations("/livez")).status, 200)
      yield* elsewhere(`alter database "${database}" with allow_connections true`)
      yield* pass("10 seconds")
      yield* eventually(Effect.andThen(pass("10 seconds"), metrics), (now) => now.get("saldo_database_up") === 1)
      assert.strictEqual((yield* metrics).get('saldo_held_pesos{ambiente="production"}'), 0)
      yield* recover("due")
      assert.deepStrictEqual(yield* readyz, { status: 200, missing: [] })
    })
  )

  it.effect("responds with 404 to any other path of the operations port", () =>
    Effect.gen(function* () {
      for (const path of ["/", "/v1/estado", "/metricsx"]) assert.strictEqual((yield* getOperations(path)).status, 404)
    })
  )

  it.effect("closes an operations connection that offers a protocol upgrade and keeps sending", () =>
    Effect.gen(function* () {
      const said = yield* sendUntilClosed(
        "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
      )
      assert.match(said, /^HTTP\/1\.1 200 .*ok\n$/s)
    })
  )
})

layer(monitoredServer({ AUDIT_EVERY: "15" }), { excludeTestServices: true })("a server that audits itself", (it) => {
  it.effect("reports no violation counts before the first audit and then the count of each invariant", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const sql = yield* PgClient.PgClient
      const { companyId } = yield* customer({ money: 10 })
      const broken = Effect.map(metrics, (now) =>
        Object.keys(invariants).map((name) => now.get(`saldo_invariant_violations{invariant="${name}"}`))
      )
      for (const violations of yield* broken) assert.isNaN(violations)
      const sound = Object.keys(invariants).map(() => 0)
      yield* pass("15 minutes")
      assert.deepStrictEqual(yield* eventually(broken, ([first]) => first === 0), sound)
      yield* sql`update cell.balance set available = available + 1 where company_id = ${companyId}`
      yield* pass("15 minutes")
      assert.deepStrictEqual(yield* eventually(broken, ([first]) => first === 1), [1, ...sound.slice(1)])
    })
  )
})

/** Opens an operations port with these settings. Returns its address, or null if none was opened. */
const opened = (ops: { readonly port: number; readonly wanted: boolean } | null) =>
  Ops.OperationsPort.useSync(({ url }) => url).pipe(
    Effect.provide(
      Ops.layer.pipe(
        Layer.provide(Health.layer),
        Layer.provide([Readiness.layer, Gauges.layer]),
        Layer.provide(
          Layer.effect(
            Settings,
            Settings.useSync((settings) => ({ ...settings, ops: ops && { host: "127.0.0.1", ...ops } }))
          ).pipe(Layer.provide(Settings.layer))
        ),
        Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
        Layer.provide(Layer.succeed(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})))
      )
    )
  )

describe("an operations port", () => {
  it.live("is skipped when the default port is taken, and is an error when the operator chose the port", () =>
    Effect.gen(function* () {
      const port = yield* listenLocally(createServer())
      assert.isNull(yield* opened({ port, wanted: false }))
      const { message } = yield* Effect.flip(opened({ port, wanted: true }))
      assert.match(message, /is taken: .*set OPS_PORT to another port/)
    })
  )

  it.live("can be switched off or use any free port", () =>
    Effect.gen(function* () {
      assert.isNull(yield* opened(null))
      assert.match((yield* opened({ port: 0, wanted: true })) ?? "", /^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    })
  )
})
