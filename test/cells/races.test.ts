import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Duration, Effect, Layer, Result } from "effect"
import { Verdict } from "../../core/domain/Sale.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { atOnce, onItsOwn, racers, tagsOf } from "../support/Concurrency.ts"
import { intentOf, opened } from "../support/SalesOnPostgres.ts"
import { portsOfCells, strayRows, ThreeCells, violationsInCells } from "./ThreeCells.ts"

/** The ports of a server that shares only Postgres with other servers. */
const server = Effect.map(Layer.build(Layer.fresh(portsOfCells)), (context) =>
  Effect.runSync(Effect.provide(Effect.all({ ledger: Ledger, unresolved: Unresolved }), context))
)

const delivered = Verdict.Confirm({ delivery: { authCode: "A1", rechargeToken: null } })
const lease = Duration.minutes(1)

const rounds = 10
const centavos = 10_000

/** The result for the three companies of a round: one call of eight succeeds for each company. */
const oneOfEach = (refusal: string) =>
  [...Arr.makeBy(3, () => "done"), ...Arr.makeBy(3 * (racers - 1), () => refusal)].sort()

layer(Layer.provideMerge(portsOfCells, ThreeCells), { excludeTestServices: true, timeout: "2 minutes" })(
  "eight servers and three cells",
  (it) => {
    it.effect("sell the money of each company once, claim each sale once and settle it once", () =>
      Effect.gen(function* () {
        const servers = yield* Effect.all(Arr.makeBy(racers, () => onItsOwn(server)))
        yield* Effect.forEach(
          Arr.makeBy(rounds, (round) => Arr.makeBy(3, (index) => 300 + 3 * round + index)),
          Effect.fnUntraced(function* (companies) {
            for (const company of companies) yield* opened(yield* Ledger, company, centavos)
            const sold = yield* atOnce(
              servers.flatMap(({ ledger }, racer) =>
                companies.map((company) => ledger.reserve(intentOf(company, `sale ${racer}`, centavos)))
              )
            )
            assert.deepStrictEqual(tagsOf(sold), oneOfEach("InsufficientBalance"))

            const now = DateTime.add(yield* DateTime.now, { hours: 1 })
            const claim = { began: now, now, lease, limit: 100, which: "all" } as const
            const claimed = yield* atOnce(servers.map(({ unresolved }) => unresolved.claim(claim)))
            const sales = claimed.flatMap((claims) => (Result.isSuccess(claims) ? claims.success : []))
            assert.sameMembers(
              sales.map(({ order }) => order.companyId as number),
              companies
            )

            const at = yield* DateTime.now
            const settled = yield* atOnce(
              servers.flatMap(({ ledger }) =>
                sales.map(({ order }) => ledger.settle({ order, verdict: delivered, at, notFound: 0 }))
              )
            )
            assert.lengthOf(
              settled.filter((settlement) => Result.isSuccess(settlement) && settlement.success.won),
              3
            )
          }),
          { discard: true }
        )
        assert.deepStrictEqual(yield* strayRows, [])
        assert.deepStrictEqual(yield* violationsInCells, [])
      }).pipe(Effect.scoped)
    )
  }
)
