import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Insurance } from "../../../core/domain/Insurance.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { DispatchAnswer, Verdict } from "../../../core/domain/Sale.ts"
import { Insurances } from "../../../core/ports/Insurances.ts"
import { keepRecovering, recover } from "../../../core/workflows/Recover.ts"
import { supplierOf } from "../../../core/workflows/Supplier.ts"
import { type Fault, fund, money, tally } from "../../support/InMemoryWorld.ts"
import {
  buy,
  charged,
  held,
  insuring,
  now,
  policy,
  quoted,
  reserved,
  stateOf,
  statuses,
  whole
} from "../support/InsuranceWorld.ts"

const { Delivered, NotFound, Refused, Unknown } = StatusAnswer

/** The policy in the form that the sale stores. */
const delivery = { authCode: policy.number, rechargeToken: null, validity: policy.validity }

/** The calls to the insurer after the last quote. */
const afterwards = (asked: ReadonlyArray<string>) => asked.slice(asked.lastIndexOf("quote") + 1)

/** Stops a process in each state: `cobrando` after the reservation, `emitiendo` just before the request for the policy. */
const crashes = {
  cobrando: reserved,
  emitiendo: (insurance: Insurance) =>
    Effect.tap(reserved(insurance), (order) => Insurances.use((insurances) => insurances.beginIssue(order)))
}

describe("an insurance that recovery takes over", () => {
  // state; the insurer's answer -> status of the sale, state of the insurance, the money, the counts of recovery
  it.effect.each(
    (["cobrando", "emitiendo"] as const).flatMap(
      (state) =>
        [
          [
            state,
            "issued it",
            Effect.succeed(Delivered({ delivery: policy })),
            "SUCCESS",
            "emitida",
            charged,
            "confirmed"
          ],
          [
            state,
            "refused it",
            Effect.succeed(Refused({ refusal: "SEGURO_NO_EMITIDO" })),
            "FAILED",
            "fallida",
            whole,
            "released"
          ],
          [state, "does not know the result", Effect.succeed(Unknown()), "PENDING", "emitiendo", held, "stillUnknown"],
          [
            state,
            "has not received the order yet",
            Effect.succeed(NotFound()),
            "PENDING",
            "emitiendo",
            held,
            "stillUnknown"
          ],
          [state, "fails", Effect.die(new Error("reset")), "PENDING", "emitiendo", held, "stillUnknown"]
        ] as const
    )
  )(
    "in the state %s ends as the insurer's answer says when the insurer %s",
    ([state, , says, status, expected, left, counted]) => {
      const { asked, layer } = insuring({ insurer: { status: () => says } })
      return Effect.gen(function* () {
        yield* fund(1_000_000)
        const insurance = yield* quoted()
        yield* crashes[state](insurance)
        assert.strictEqual(yield* stateOf(insurance), state)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* recover("due"), tally({ [counted]: 1 }))
        assert.deepStrictEqual(yield* statuses, [status])
        assert.strictEqual(yield* stateOf(insurance), expected)
        assert.deepStrictEqual(yield* money, left)
        assert.deepStrictEqual(afterwards(asked), ["status"])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect.each(["cobrando", "emitiendo"] as const)(
    'fails, from the state %s, after 15 minutes and two "not found" answers of the insurer',
    (state) => {
      const { asked, layer } = insuring({ insurer: { status: () => Effect.succeed(NotFound()) } })
      return Effect.gen(function* () {
        yield* fund(1_000_000)
        const insurance = yield* quoted()
        yield* crashes[state](insurance)
        yield* Effect.forkChild(keepRecovering)
        yield* TestClock.adjust("20 minutes")
        assert.strictEqual(yield* stateOf(insurance), "emitiendo")
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* stateOf(insurance), "fallida")
        assert.deepStrictEqual(yield* statuses, ["FAILED"])
        assert.deepStrictEqual(yield* money, whole)
        assert.isFalse(asked.includes("issue"))
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("replays the first response for a repeated key, although the policy has been issued since", () => {
    const { layer } = insuring({
      insurer: {
        issue: () => Effect.succeed(DispatchAnswer.Unknown()),
        status: () => Effect.succeed(Delivered({ delivery: policy }))
      }
    })
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const insurance = yield* quoted()
      const first = yield* buy(insurance)
      yield* TestClock.adjust("5 seconds")
      yield* recover("due")
      const { policy, state } = yield* now(insurance)
      assert.deepStrictEqual([state, policy?.number, policy?.validity], ["emitida", "POL-1", delivery.validity])
      assert.deepStrictEqual(yield* buy(insurance), { outcome: first.outcome, replayed: true })
    }).pipe(Effect.provide(layer))
  })
})

describe("a paused process after recovery has taken over its sale", () => {
  it.effect.each([
    ["issued", Delivered({ delivery: policy }), "SUCCESS", "emitida", charged],
    ["refused", Refused({ refusal: "SEGURO_NO_EMITIDO" }), "FAILED", "fallida", whole],
    ["unknown", Unknown(), "PENDING", "emitiendo", held]
  ] as const)(
    "does not request a policy after the insurer's answer to recovery: %s",
    ([, says, status, state, left]) => {
      const { asked, layer } = insuring({ insurer: { status: () => Effect.succeed(says) } })
      return Effect.gen(function* () {
        yield* fund(1_000_000)
        const insurance = yield* quoted()
        const order = yield* reserved(insurance)
        const supplier = yield* supplierOf("development", "insurance")
        yield* TestClock.adjust("1 minute")
        yield* recover("due")
        assert.deepStrictEqual(yield* supplier.dispatch(order), DispatchAnswer.Unknown())
        assert.deepStrictEqual(afterwards(asked), ["status"])
        assert.deepStrictEqual(yield* statuses, [status])
        assert.strictEqual(yield* stateOf(insurance), state)
        assert.deepStrictEqual(yield* money, left)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("answers its caller with recovery's result", () => {
    const overtaken: Fault = (ledger) => ({
      ...ledger,
      reserve: (wanted) =>
        Effect.tap(ledger.reserve(wanted), (answer) =>
          answer._tag === "Reservation"
            ? ledger.settle({
                order: answer.order,
                verdict: Verdict.Confirm({ delivery }),
                at: answer.order.createdAt,
                notFound: 0
              })
            : Effect.void
        )
    })
    const { asked, layer } = insuring({ ledger: overtaken })
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const insurance = yield* quoted()
      const { outcome } = yield* buy(insurance)
      assert.deepStrictEqual(outcome._tag === "Delivered" && outcome.delivery, delivery)
      assert.strictEqual(yield* stateOf(insurance), "emitida")
      assert.deepStrictEqual(yield* money, charged)
      assert.deepStrictEqual(afterwards(asked), [])
    }).pipe(Effect.provide(layer))
  })
})

describe("a policy", () => {
  it.effect("is requested once, even if its order is dispatched again", () => {
    const { asked, layer } = insuring()
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const order = yield* reserved(yield* quoted())
      const supplier = yield* supplierOf("development", "insurance")
      const answers = yield* Effect.forEach([order, order, order], supplier.dispatch, { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ _tag }) => _tag).sort(), ["Delivered", "Unknown", "Unknown"])
      assert.deepStrictEqual(afterwards(asked), ["issue"])
    }).pipe(Effect.provide(layer))
  })
})

describe("a pending insurance in the simulator", () => {
  it.effect.each([
    // plate -> state after 14 s, after 15 s, and one hour later; the money at the end
    ["A123422", "emitiendo", "emitida", "emitida", charged],
    ["A123402", "emitiendo", "fallida", "fallida", whole],
    ["A123412", "emitiendo", "emitiendo", "emitiendo", held]
  ] as const)("ends as the plate %s determines", ([plate, early, late, last, left]) => {
    const { asked, layer } = insuring()
    return Effect.gen(function* () {
      yield* fund(1_000_000)
      const insurance = yield* quoted(plate)
      assert.strictEqual((yield* buy(insurance)).outcome._tag, "Pending")
      yield* Effect.forkChild(keepRecovering)
      yield* TestClock.adjust("14 seconds")
      assert.strictEqual(yield* stateOf(insurance), early)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* stateOf(insurance), late)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* stateOf(insurance), last)
      assert.deepStrictEqual(yield* money, left)
      assert.strictEqual(afterwards(asked)[0], "issue")
      assert.isFalse(afterwards(asked).slice(1).includes("issue"))
    }).pipe(Effect.provide(layer))
  })
})
