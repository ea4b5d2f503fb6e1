import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { freshDatabaseUrl } from "../support/Database.ts"
import { copyDatabase } from "../support/EmbeddedDatabases.ts"
import { checkSoundness } from "./stages/Soundness.ts"
import { makeCompanies, makeHistory, makePendingSales } from "./support/Dataset.ts"
import { measure } from "./support/Measure.ts"
import { BenchmarkProgress } from "./support/Rounds.ts"
import { startBare, startPeer, startSaldo } from "./support/Services.ts"
import { readFromBare, readFromSaldo, saleByPeer, saleBySaldo } from "./support/Workload.ts"

const short = { connections: 4, seconds: 1 }

const silent = BenchmarkProgress.of({ options: { rounds: 1, ...short }, step: (_what, _planned_s, work) => work })

const connected = (url: string) => Database.layer({ url: Redacted.make(url), connections_max: 1 })

const sound = (name: string) => [
  { what: `saldo audit, ${name} database`, ok: true, detail: "no violation" },
  { what: `Deadlocks, ${name} database`, ok: true, detail: "0" }
]

describe("a load", () => {
  it.live("runs against a bare server", () =>
    Effect.gen(function* () {
      const { url } = yield* startBare
      const measured = yield* measure({ ...short, urls: [url], shape: readFromBare })
      assert.isAbove(measured.succeeded, 0)
    })
  )

  it.live("keeps a fixed rate that is far below the highest rate of the server", () =>
    Effect.gen(function* () {
      const { url } = yield* startBare
      const measured = yield* measure({ ...short, urls: [url], shape: readFromBare, perSecond: 8 })
      assert.isAtMost(measured.succeeded, 40)
    })
  )

  it.live("sells in the comparison service with a new key each time, and fails when calls are refused", () =>
    Effect.gen(function* () {
      const { url } = yield* startPeer(yield* copyDatabase(inject("postgresUrl"), "template0", "bench_peer"))
      const shape = saleByPeer(1_000)
      const measured = yield* measure({ ...short, urls: [url], shape })
      assert.isAbove(measured.succeeded, 0)
      const unknown = { ...shape, path: "/v1/recargas?company=0" }
      const failed = yield* Effect.flip(measure({ ...short, urls: [url], shape: unknown }))
      assert.match(failed.message, /0 calls succeeded, [1-9]\d* were refused, 0 got no response/)
    })
  )

  it.live(
    "sells in Saldo on a long history and violates no invariant",
    () =>
      Effect.gen(function* () {
        const database = yield* freshDatabaseUrl
        const filled = Effect.all([makeCompanies, makeHistory(1_000), makePendingSales(200)], { discard: true })
        yield* Effect.provide(filled, connected(database))
        const { url } = yield* startSaldo(database, null)
        const sales = yield* measure({ ...short, urls: [url], shape: saleBySaldo(1_000) })
        const reads = yield* measure({ ...short, urls: [url], shape: readFromSaldo("/v1/saldo", 1_000) })
        assert.isAbove(reads.succeeded, 0)
        const [audit, deadlocks, recorded] = yield* checkSoundness("main", database, { answered: sales.succeeded })
        assert.deepStrictEqual([audit, deadlocks], sound("main"))
        assert.isTrue(recorded?.ok, recorded?.detail)
      }).pipe(Effect.provideService(BenchmarkProgress, silent)),
    120_000
  )
})
