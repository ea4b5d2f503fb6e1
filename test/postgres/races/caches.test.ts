import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Exit, Layer } from "effect"
import { invalidatedOnSetBack } from "../../../adapters/postgres/connection/TtlCache.ts"
import * as CataloguePostgres from "../../../adapters/postgres/directory/CataloguePostgres.ts"
import * as TokenDirectoryPostgres from "../../../adapters/postgres/directory/TokenDirectoryPostgres.ts"
import { Catalogue } from "../../../core/ports/Catalogue.ts"
import { TokenDirectory } from "../../../core/ports/TokenDirectory.ts"
import { Gauges } from "../../../facade/ops/Gauges.ts"
import { makeClock } from "../../support/Clocks.ts"
import { TestDatabase } from "../../support/Database.ts"
import { eventually } from "../../support/Eventually.ts"
import { company } from "../../support/Examples.ts"

const noon_ms = Date.UTC(2026, 2, 4, 16)
const hour_s = 3_600

/**
 * Runs an effect at a fixed time. The monotonic clock is `passed_s` seconds after noon; the wall clock shows `wall_s`
 * seconds after noon.
 */
const at = <A, E, R>(passed_s: number, wall_s: number, work: Effect.Effect<A, E, R>) =>
  Effect.clockWith((clock) => {
    const stopped = makeClock({
      wall_ms: () => noon_ms + wall_s * 1_000,
      monotonic_ns: () => BigInt(passed_s) * 1_000_000_000n,
      sleep: (duration) => clock.sleep(duration)
    })
    return Effect.provideService(work, Clock.Clock, stopped)
  })

const populated = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`
    insert into directory.company (id, legal_name, code, environment, created_at)
    overriding system value values (1, 'Colmado', 'COLMADO', 'development', 'epoch')`
  yield* sql`
    insert into directory.token (company_id, name, api_key, secret_hash, created_at)
    values (1, 'caja', 'llave', decode(repeat('00', 32), 'hex'), 'epoch')`
  yield* sql`insert into catalogue.category (id, name) values (1, 'Recargas')`
  yield* sql`
    insert into catalogue.service (
      id, name, description, type, category_id, minimum, maximum, reversible, flow, requires_lookup, how_to_buy
    )
    values (1, 'Recarga', '', 'generic', 1, 100, 0, false, 'monto_libre', false, '')`
})

// Changes a row without triggers, as if the notification that invalidates the caches were lost.
const changeSilently = Effect.fnUntraced(function* (change: string) {
  const sql = yield* PgClient.PgClient
  yield* sql.withTransaction(
    Effect.andThen(sql`set local session_replication_role = replica`, sql.unsafe(change).unprepared)
  )
})

const stateOf = TokenDirectory.use(({ lookup }) =>
  Effect.map(lookup("llave"), (found) => (found._tag === "Some" ? found.value.session.token.state : "unknown"))
)

const offered = Catalogue.use(({ services }) => Effect.map(services(company), (all) => all.length))

const TestLayer = Layer.provideMerge(
  Layer.mergeAll(TokenDirectoryPostgres.layer, CataloguePostgres.layer, Gauges.layer),
  Layer.provideMerge(Layer.effectDiscard(Effect.orDie(populated)), TestDatabase)
)

layer(TestLayer, { excludeTestServices: true })("a cache entry with a lifetime of seconds", (it) => {
  it.effect("expires in the token and catalogue caches even if the clock is set back by an hour", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      // Waits for the listener of the cache, because the start of the listener clears the cache.
      yield* eventually(
        sql`select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen%'`,
        (rows) => rows.length >= 1
      )
      const known = Effect.all([stateOf, offered])
      assert.deepStrictEqual(yield* at(0, 0, known), ["active", 1])
      yield* changeSilently("update directory.token set state = 'suspended'")
      yield* changeSilently("update catalogue.service set active = false")
      assert.deepStrictEqual(yield* at(5, 5 - hour_s, known), ["suspended", 0])
    })
  )

  it.effect("expires in the metrics cache even if the clock is set back by an hour", () =>
    Effect.gen(function* () {
      const { readBy, refresh } = yield* Gauges
      let reads = 0
      const vitals = {
        cells: [],
        cellsDown: [],
        unresolved: [],
        unresolvedReversals: [],
        undeliveredSms: [],
        lateOutcomes: [],
        lowBalances: [],
        dueDeliveries: [],
        disabledWebhooks: [],
        connections: [],
        archiveFailing: false,
        closedUntil: null
      }
      yield* readBy(
        Effect.sync(() => {
          reads += 1
          return vitals
        })
      )
      yield* at(0, 0, refresh)
      yield* at(4, 4, refresh)
      assert.strictEqual(reads, 1)
      yield* at(4, 4 - hour_s, refresh)
      assert.strictEqual(reads, 2)
    })
  )

  it.effect("is kept when the clock is set back by one second or set forward by an hour", () =>
    Effect.gen(function* () {
      let forgotten = 0
      const fresh = invalidatedOnSetBack(
        Effect.sync(() => {
          forgotten += 1
        })
      )
      const use = (passed_s: number, wall_s: number) => at(passed_s, wall_s, fresh(Effect.sync(() => forgotten)))
      assert.deepStrictEqual(
        yield* Effect.all([use(0, 0), use(9, 8), use(10, hour_s), use(11, hour_s + 1)]),
        [0, 0, 0, 0]
      )
      assert.deepStrictEqual(yield* Effect.all([use(hour_s, hour_s), use(hour_s + 1, hour_s + 1)]), [1, 1])
    })
  )
})

layer(TestDatabase, { excludeTestServices: true })("the cached catalogue", (it) => {
  it.effect("does not cache a failed read", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { services } = yield* Catalogue
      // Waits for the listener of the cache, because the start of the listener clears the cache.
      yield* eventually(
        sql`select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen%'`,
        (rows) => rows.length === 1
      )
      yield* sql`alter table catalogue.service rename to elsewhere`
      assert.isTrue(Exit.isFailure(yield* Effect.exit(services(company))))
      yield* sql`alter table catalogue.elsewhere rename to service`
      assert.deepStrictEqual(yield* services(company), [])
    }).pipe(Effect.provide(CataloguePostgres.layer))
  )
})
