import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, DateTime, Effect, Layer, Option } from "effect"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { Identifier } from "../../../core/domain/Ids.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { sandboxCompany } from "../../../core/workflows/Seed.ts"
import { serverLayer } from "../../../facade/ServerLayer.ts"
import { freshDatabaseUrl, violatedInvariants } from "../../support/Database.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { intentOf, reservedOrder } from "../../support/SalesOnPostgres.ts"

/** The layer that `saldo serve` runs, without the HTTP listener. */
const serving = (url: string) =>
  Layer.build(
    Layer.fresh(serverLayer).pipe(
      Layer.provide(
        Layer.succeed(
          ConfigProvider.ConfigProvider,
          ConfigProvider.fromUnknown({ DATABASE_URL: url, LOG_LEVEL: "none", PG_POOL_MAX: "4" })
        )
      )
    )
  )

/** The balance of the company in pesos, and its ledger entries. */
const books = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql`
    select
      (b.available / 100)::int as available,
      (b.held / 100)::int as held,
      array(
        select concat_ws(' ', e.type, e.amount / 100, e.reference)
        from cell.entry as e
        where e.company_id = b.company_id
        order by e.id
      ) as entries
    from cell.balance as b
    where b.company_id = ${company}`
  return row
})

/** Waits until the database contains the sandbox reset of this day. */
const resetOf = Effect.fnUntraced(function* (day: string) {
  const sql = yield* PgClient.PgClient
  yield* sql`select 1 from cell.adjustment where reference = ${`sandbox-${day}`}`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0 })
  )
})

const delivered = Verdict.Confirm({ delivery: { authCode: "A1", rechargeToken: null } })

/**
 * Sells for this amount and settles the sale with the verdict. The identifier is chosen so that the simulator would
 * also give this verdict.
 */
const sell = Effect.fnUntraced(function* (company: number, key: string, pesos: number, verdict: Verdict) {
  const ledger = yield* Ledger
  const identifier = Identifier.make(verdict._tag === "Hold" ? "8095550112" : "8095550123")
  const order = yield* reservedOrder(ledger, { ...intentOf(company, key, pesos * 100), identifier })
  yield* ledger.settle({ order, verdict, at: yield* DateTime.now, notFound: 0 })
})

describe("two servers with one sandbox company", () => {
  it.live("reset its available balance once a day at local midnight, and leave held amounts unchanged", () =>
    Effect.gen(function* () {
      const { until } = yield* ManualClock
      const url = asLoginIn("saldo_server", yield* freshDatabaseUrl)
      const [one, two] = [yield* serving(url), yield* serving(url)]
      yield* Effect.gen(function* () {
        const company = Option.getOrThrow(yield* sandboxCompany).id
        yield* resetOf("2026-03-11")
        yield* sell(company, "sold", 100, delivered)
        yield* sell(company, "unknown", 200, Verdict.Hold())
        assert.deepStrictEqual(yield* books(company), {
          available: 99_700,
          held: 200,
          entries: ["deposit 100000 sandbox-apertura", "sale -100"]
        })
        yield* until("2026-03-12T00:00:00-04:00")
        yield* resetOf("2026-03-12")
        const reset = { available: 100_000, held: 200 }
        const entries = ["deposit 100000 sandbox-apertura", "sale -100", "adjustment 300 sandbox-2026-03-12"]
        assert.deepStrictEqual(yield* books(company), { ...reset, entries })
        yield* sell(company, "next day", 300, delivered)
        // A third server that starts on the same day must not reset the balance again.
        yield* serving(url)
        yield* until("2026-03-13T00:00:00-04:00")
        yield* resetOf("2026-03-13")
        assert.deepStrictEqual(yield* books(company), {
          ...reset,
          entries: [...entries, "sale -300", "adjustment 300 sandbox-2026-03-13"]
        })
        assert.deepStrictEqual(yield* violatedInvariants, [])
      }).pipe(Effect.provide(AuditPostgres.layer), Effect.provideContext(Context.merge(one, two)))
    }).pipe(Effect.scoped, Effect.provide(ManualClock.layer))
  )
})
