import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { ReversalVerdict } from "../../../core/domain/Reversal.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import { inRounds, racing } from "../../support/Concurrency.ts"
import { TestDatabase, violatedInvariants } from "../../support/Database.ts"
import {
  begunOn,
  intentOf,
  opened,
  replica,
  reservedOrder,
  reversalOf,
  reversalsReplica,
  soldOut,
  stateOf
} from "../../support/SalesOnPostgres.ts"

const rounds = 300
const centavos = 10_000

const saleVerdicts = [
  Verdict.Confirm({ delivery: { authCode: "A1", rechargeToken: null } }),
  Verdict.Release({ refusal: "TRANSACTION_REJECTED" }),
  Verdict.Free()
]
const reversalVerdicts = [ReversalVerdict.Confirm(), ReversalVerdict.Deny(), ReversalVerdict.Free()]

/** The verdict of one of the eight servers. In each round, every server gets the next verdict of the list. */
const verdictOf = <V>(verdicts: ReadonlyArray<V>, racer: number, round: number) =>
  verdicts[(racer + round) % verdicts.length] as V

/**
 * A sale and a reversal of a company's whole balance. `racers` builds eight servers and returns a function. The function
 * records the operation for a company and returns one settlement for each server, with different verdicts.
 */
const operations = [
  {
    operation: "a sale",
    racers: Effect.map(racing(replica), (ledgers) =>
      Effect.fnUntraced(function* (company: number) {
        yield* opened(ledgers[0], company, centavos)
        const order = yield* reservedOrder(ledgers[0], intentOf(company, "sale", centavos))
        const at = yield* DateTime.now
        return ledgers.map((ledger, racer) =>
          ledger.settle({ order, verdict: verdictOf(saleVerdicts, racer, company), at, notFound: 0 })
        )
      })
    ),
    done: "SUCCESS",
    afterDone: { available: 0, held: 0, consumed: centavos, sale: "SUCCESS", credits: 0 },
    afterRefused: { available: centavos, held: 0, consumed: 0, sale: "FAILED", credits: 0 }
  },
  {
    operation: "a reversal",
    racers: Effect.map(Effect.all([replica, racing(reversalsReplica)]), ([ledger, reversals]) =>
      Effect.fnUntraced(function* (company: number) {
        const order = yield* soldOut(ledger, company, centavos)
        const unresolved = yield* begunOn(reversals[0], reversalOf(order, "reversal"))
        const at = yield* DateTime.now
        return reversals.map((each, racer) =>
          each.settle({ unresolved, verdict: verdictOf(reversalVerdicts, racer, company), at, notFound: 0 })
        )
      })
    ),
    done: "CONFIRMED",
    afterDone: { available: centavos, held: 0, consumed: 0, sale: "REVERSED", credits: 1 },
    afterRefused: { available: 0, held: 0, consumed: centavos, sale: "SUCCESS", credits: 0 }
  }
] as const

const TestLayer = AuditPostgres.layer.pipe(Layer.provideMerge(TestDatabase))

describe.each(operations)("$operation", ({ afterDone, afterRefused, done, racers }) => {
  layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("is settled once by eight servers that received different answers from the provider", () =>
      Effect.gen(function* () {
        const settlementsOf = yield* racers
        yield* inRounds({ count: rounds, first: 1 }, (company) =>
          Effect.gen(function* () {
            const settled = yield* Effect.all(yield* settlementsOf(company), { concurrency: "unbounded" })
            const [winner, ...others] = settled.filter(({ won }) => won)
            assert.isDefined(winner)
            assert.isEmpty(others)
            assert.isTrue(settled.every(({ status }) => status === winner?.status))
            assert.deepInclude(yield* stateOf(company), winner?.status === done ? afterDone : afterRefused)
          })
        )
        assert.deepStrictEqual(yield* violatedInvariants, [])
      }).pipe(Effect.scoped)
    )
  })
})
