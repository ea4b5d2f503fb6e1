import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Duration, Effect, Layer, Result } from "effect"
import { Verdict } from "../../core/domain/Sale.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { atOnce, onItsOwn, racers, tagsOf } from "../support/Concurrency.ts"
import { violatedInvariants } from "../support/Database.ts"
import { intentOf, opened } from "../support/SalesOnPostgres.ts"
import { portsOfCells, strayRows, ThreeCells, violationsInCells } from "./ThreeCells.ts"
import { inCluster } from "./TwoNodes.ts"

/** The ports of a server that shares only Postgres with other servers. */
const server = Effect.map(Layer.build(Layer.fresh(portsOfCells)), (context) =>
  Effect.runSync(Effect.provide(Effect.all({ ledger: Ledger, unresolved: Unresolved }), context))
)

const delivered = Verdict.Confirm({ delivery: { authCode: "A1", rechargeToken: null } })
const lease = Duration.minutes(1)

const rounds = 10
const centavos = 10_000

/** The results of a round: one call of eight succeeds for each company. */
const oneOfEach = (companies: number, refusal: string) =>
  [...Arr.makeBy(companies, () => "done"), ...Arr.makeBy(companies * (racers - 1), () => refusal)].sort()

/**
 * Eight servers each try to sell for the whole balance of each company. Then they claim the sales and settle them.
 *
 * @param companiesIn the companies of a round, each in a different cell.
 */
const race = Effect.fnUntraced(function* (companiesIn: (round: number) => ReadonlyArray<number>) {
  const servers = yield* Effect.all(Arr.makeBy(racers, () => onItsOwn(server)))
  yield* Effect.forEach(
    Arr.makeBy(rounds, companiesIn),
    Effect.fnUntraced(function* (companies) {
      for (const company of companies) yield* opened(yield* Ledger, company, centavos)
      const sold = yield* atOnce(
        servers.flatMap(({ ledger }, racer) =>
          companies.map((company) => ledger.reserve(intentOf(company, `sale ${racer}`, centavos)))
        )
      )
      assert.deepStrictEqual(tagsOf(sold), oneOfEach(companies.length, "InsufficientBalance"))

      const now = DateTime.add(yield* DateTime.now, { hours: 1 })
      const claim = { began: now, now, lease, limit: 100, which: "all" } as const
      const claimed = yield* atOnce(servers.map(({ unresolved }) => unresolved.claim(claim)))
      const sales = claimed.flatMap((claims) => (Result.isSuccess(claims) ? claims.success : []))
      assert.sameMembers(
        sales.map(({ order }) => order.companyId as number),
        [...companies]
      )

      const at = yield* DateTime.now
      const settled = yield* atOnce(
        servers.flatMap(({ ledger }) =>
          sales.map(({ order }) => ledger.settle({ order, verdict: delivered, at, notFound: 0 }))
        )
      )
      assert.lengthOf(
        settled.filter((settlement) => Result.isSuccess(settlement) && settlement.success.won),
        companies.length
      )
    }),
    { discard: true }
  )
}, Effect.scoped)

const title = "sell for the whole balance of a company once, claim each sale once and settle each sale once"

layer(Layer.provideMerge(portsOfCells, ThreeCells), { excludeTestServices: true, timeout: "2 minutes" })(
  "eight servers and three cells",
  (it) => {
    it.effect(title, () =>
      Effect.gen(function* () {
        yield* race((round) => Arr.makeBy(3, (index) => 300 + 3 * round + index))
        assert.deepStrictEqual(yield* strayRows, [])
        assert.deepStrictEqual(yield* violationsInCells, [])
      })
    )
  }
)

inCluster("eight servers and a Citus cluster", (it) => {
  it.effect(title, () =>
    Effect.gen(function* () {
      yield* race((round) => Arr.makeBy(2, (index) => 300 + 2 * round + index))
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )
})
