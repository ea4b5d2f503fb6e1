import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import * as AuditPostgres from "../../adapters/postgres/reads/AuditPostgres.ts"
import * as VitalSignsPostgres from "../../adapters/postgres/reads/VitalSignsPostgres.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { VitalSigns } from "../../core/ports/VitalSigns.ts"
import { recover } from "../../core/workflows/Recover.ts"
import { cellChecks } from "../../facade/cli/checks/CellChecks.ts"
import { Gauges } from "../../facade/ops/Gauges.ts"
import { holdingLock } from "../support/Concurrency.ts"
import { testDatabaseUrl, violatedInvariants } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { customer } from "../support/service/CustomerCompany.ts"
import { get, moneyOf, sell } from "../support/service/HttpCalls.ts"
import { Script } from "../support/service/ScriptedPorts.ts"
import { SpreadTestServer } from "../support/service/TestServer.ts"

type Headers = Record<string, string>

const sellTo = (auth: Headers, key: string, identifier = "8095550123") =>
  sell({ service_id: 1, identifier, amount: 100 }, { ...auth, "idempotency-key": key })

/** The status of a response, and whether it has Retry-After. */
const statusOf = ({ headers, status }: { readonly headers: globalThis.Headers; readonly status: number }) =>
  [status, Number(headers.get("retry-after")) > 0] as const

/** A phone number for a sale that must not reach the provider. */
const neverSent = "8090000002"

const refused = [503, true] as const

const violations = Effect.provide(violatedInvariants, Layer.fresh(AuditPostgres.layer))

/** Two companies with a first sale each. The cells of both are in the same database. */
const companies = Effect.gen(function* () {
  const open = yield* customer({ cell: "cell" })
  const locked = yield* customer({ cell: "norte" })
  for (const { auth } of [open, locked]) assert.strictEqual((yield* sellTo(auth, "first")).status, 201)
  return { open: open.auth, locked: locked.auth }
})

const sellsTwice = Effect.fnUntraced(function* (auth: Headers) {
  for (const key of ["second", "third"]) assert.strictEqual((yield* sellTo(auth, key)).status, 201)
  assert.deepStrictEqual(yield* moneyOf(auth), { available: 700, held: 0, consumed: [300, 300, 300] })
})

layer(SpreadTestServer, { excludeTestServices: true, timeout: "2 minutes" })("a cell", (it) => {
  it.effect("with a locked table causes 503 only for its own companies, and sells when the lock is gone", () =>
    Effect.gen(function* () {
      const { locked, open } = yield* companies
      const { release } = yield* holdingLock("lock table norte.balance")
      const calls = yield* Effect.forkChild(
        Effect.all([get("/v1/saldo", locked), sellTo(locked, "first"), sellTo(locked, "second")], {
          concurrency: "unbounded"
        })
      )
      yield* sellsTwice(open)
      const [read, repeated, sale] = yield* Fiber.join(calls)
      assert.deepStrictEqual([statusOf(read), statusOf(sale)], [refused, refused])
      // The retry may get the stored response, because reading it does not lock the balance.
      assert.include([201, 503], repeated.status)
      yield* recover("all")
      yield* release

      assert.deepStrictEqual(yield* moneyOf(locked), { available: 900, held: 0, consumed: [100, 100, 100] })
      yield* sellsTwice(locked)
      assert.deepStrictEqual(yield* violations, [])
    })
  )

  it.effect("with a locked table is reported as down in the vital signs, and saldo doctor names the table", () =>
    Effect.gen(function* () {
      const { locked } = yield* companies
      const url = Redacted.make(yield* testDatabaseUrl)
      const monitoring = Database.layer({ url, connections_max: 1, parameters: { lock_timeout: "500" } })
      const { release } = yield* holdingLock("lock table norte.transaction")
      const vitals = yield* VitalSigns.use(({ read }) => read).pipe(
        Effect.provide(Layer.fresh(Layer.provide(VitalSignsPostgres.layer, monitoring)))
      )
      assert.deepStrictEqual(vitals.cellsDown, ["norte"])
      const gauges = Gauges.use(({ cellsDown, readBy }) => Effect.andThen(readBy(Effect.succeed(vitals)), cellsDown))
      assert.deepStrictEqual(yield* Effect.provide(gauges, Gauges.layer), ["norte"])

      yield* Effect.forkChild(Effect.forever(get("/v1/transacciones", locked)))
      const check = Effect.map(cellChecks, (checks) => checks.find(({ name }) => name === "locks"))
      const found = yield* eventually(check, (found) => found?.level !== "ok")
      assert.include(found?.detail, "norte.transaction, held by the database process")
      yield* release
      yield* eventually(check, (found) => found?.level === "ok")
    })
  )

  it.effect("with statements that hang causes 503 only for its own companies, and loses no money", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { pass } = yield* ManualClock
      const { provider } = yield* Script
      provider.set(neverSent, {
        dispatch: () => Effect.die("the sale was sent"),
        status: () => Effect.succeed(StatusAnswer.NotFound())
      })
      const { locked, open } = yield* companies
      yield* sql`create table public.go (n int)`
      yield* sql`
        create function public.hang() returns trigger language plpgsql security definer
        as $$ begin while not exists (select from public.go) loop perform pg_sleep(0.01); end loop; return new; end $$`
      // The tables of this cell are views, as on a worker of a Citus cluster.
      yield* sql`create trigger hang before insert on "norte$".transaction for each row execute function public.hang()`
      const hanging = yield* Effect.forkChild(sellTo(locked, "unknown", neverSent))
      yield* eventually(sql`select from pg_stat_activity where wait_event = 'PgSleep'`, (rows) => rows.length > 0)
      yield* sellsTwice(open)
      yield* pass("5 seconds")
      assert.deepStrictEqual(statusOf(yield* Fiber.join(hanging)), refused)
      // This sale is refused immediately, because the first statement has not ended.
      assert.deepStrictEqual(statusOf(yield* sellTo(locked, "second")), refused)
      assert.deepStrictEqual(yield* moneyOf(locked), { available: 900, held: 0, consumed: [100, 100, 100] })

      yield* sql`insert into public.go values (1)`
      // The statement now ends and commits its reservation, although no caller waits for it.
      yield* eventually(moneyOf(locked), ({ held }) => held === 100)
      assert.strictEqual((yield* sellTo(locked, "unknown", neverSent)).status, 409)
      for (const _ of [1, 2]) {
        yield* pass("20 minutes")
        yield* recover("all")
      }
      assert.deepStrictEqual(yield* moneyOf(locked), { available: 900, held: 0, consumed: [100, 100, 100] })
      yield* sellsTwice(locked)
      assert.deepStrictEqual(yield* violations, [])
    })
  )
})

layer(SpreadTestServer, { excludeTestServices: true, timeout: "2 minutes" })(
  "cells on a server that allows no further connections",
  (it) => {
    it.effect("sell over the open connections to their node", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const database = new URL(yield* testDatabaseUrl).pathname.slice(1)
        const open = sql`select from pg_stat_activity where datname = ${database}`
        const before = (yield* open).length
        yield* sql.unsafe(`alter database "${database}" connection limit ${before}`)
        yield* companies
        assert.lengthOf(yield* open, before)
      })
    )
  }
)
