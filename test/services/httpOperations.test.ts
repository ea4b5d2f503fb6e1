import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as HttpInsurer from "../../adapters/insurer/HttpInsurer.ts"
import * as HttpProvider from "../../adapters/provider/HttpProvider.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { ReversalAnswer } from "../../core/domain/Reversal.ts"
import { DispatchAnswer } from "../../core/domain/Sale.ts"
import type { Insurer } from "../../core/ports/Insurer.ts"
import type { Provider } from "../../core/ports/Provider.ts"
import type { Misbehaviour } from "../fakes/FakeServer.ts"
import {
  delivery,
  gatewayAt,
  isSilent,
  Outside,
  order,
  policy,
  policyOrder,
  reversalOf,
  startInsurer,
  startProvider,
  unknownHost,
  unusedAddress,
  xidOf
} from "./support/Gateways.ts"

const reversal = reversalOf(order(1))

const { Delivered, NotSent, Refused, Unknown } = DispatchAnswer
const { Confirmed, Denied } = ReversalAnswer

/** The record of a gateway that has not carried out an order. */
const untouched = { times: 0, charged: 0 }
const charged = { times: 1, charged: 10_000 }

interface Calls {
  readonly send: Effect.Effect<object>
  /** The status query. */
  readonly ask: Effect.Effect<object>
}

type Gateway = Pick<
  Effect.Success<typeof startProvider>["gateway"],
  "arrivals" | "misbehaviours" | "requests" | "truth"
>

interface Operation {
  readonly operation: string
  readonly xid: string
  readonly start: Effect.Effect<
    Calls & { readonly gateway: Gateway; readonly decide: (decision: string) => void },
    never,
    Effect.Services<typeof startProvider>
  >
  readonly connect: (url: string) => Effect.Effect<Calls, never, Effect.Services<typeof startProvider>>
  /** Decision of the gateway, the answer to the operation and to a later status query, and the record of the gateway. */
  readonly decisions: ReadonlyArray<readonly [decision: string, answer: object, recorded: object]>
  readonly done: object
  /** The record of the gateway before and after it carries out the operation. */
  readonly before: object
  readonly after: object
  /** The answer to a status query that was not sent. */
  readonly notAsked: object
}

const saleCalls = ({ dispatch, status }: Provider): Calls => ({ send: dispatch(order(1)), ask: status(order(1)) })

const policyCalls = ({ issue, status }: Insurer): Calls => ({ send: issue(policyOrder()), ask: status(policyOrder()) })

const reversalCalls = ({ reversalStatus, reverse }: Provider): Calls => ({
  send: reverse(reversal),
  ask: reversalStatus(reversal)
})

const operations: ReadonlyArray<Operation> = [
  {
    operation: "a sale",
    xid: xidOf(1),
    start: Effect.map(startProvider, ({ gateway, provider }) => ({
      gateway,
      decide: (decision) => gateway.orders.set(xidOf(1), decision as "pending"),
      ...saleCalls(provider)
    })),
    connect: (url) => Effect.map(HttpProvider.make(gatewayAt(url)), saleCalls),
    decisions: [
      ["delivered", Delivered({ delivery }), charged],
      ["INVALID_PHONE", Refused({ refusal: "INVALID_PHONE" }), untouched],
      ["INVALID_AMOUNT", Refused({ refusal: "INVALID_AMOUNT" }), untouched],
      ["TRANSACTION_REJECTED", Refused({ refusal: "TRANSACTION_REJECTED" }), untouched],
      ["pending", Unknown(), untouched]
    ],
    done: Delivered({ delivery }),
    before: untouched,
    after: charged,
    notAsked: StatusAnswer.NotAsked()
  },
  {
    operation: "an order for a policy",
    xid: xidOf(1),
    start: Effect.map(startInsurer, ({ gateway, insurer }) => ({
      gateway,
      decide: (decision) => gateway.policies.set(xidOf(1), decision as "pending"),
      ...policyCalls(insurer)
    })),
    connect: (url) => Effect.map(HttpInsurer.make(gatewayAt(url)), policyCalls),
    decisions: [
      ["issued", Delivered({ delivery: policy }), charged],
      ["refused", Refused({ refusal: "SEGURO_NO_EMITIDO" }), untouched],
      ["pending", Unknown(), untouched]
    ],
    done: Delivered({ delivery: policy }),
    before: untouched,
    after: charged,
    notAsked: StatusAnswer.NotAsked()
  },
  {
    operation: "a reversal",
    xid: reversal.xid,
    start: Effect.gen(function* () {
      const { gateway, provider } = yield* startProvider
      yield* provider.dispatch(order(1))
      const decide = (decision: string) => gateway.reversals.set(reversal.xid, decision as "pending")
      return { gateway, decide, ...reversalCalls(provider) }
    }),
    connect: (url) => Effect.map(HttpProvider.make(gatewayAt(url)), reversalCalls),
    decisions: [
      ["confirmed", Confirmed(), untouched],
      ["denied", Denied(), charged],
      ["pending", Unknown(), charged]
    ],
    done: Confirmed(),
    before: charged,
    after: untouched,
    notAsked: ReversalAnswer.NotSent()
  }
]

layer(Outside)((it) => {
  describe.each(operations)("$operation at an HTTP gateway", (operation) => {
    const { after, before, done, start, xid } = operation
    const nothingKnown = StatusAnswer.NotFound()

    it.effect.each(operation.decisions)(
      "decided as %s has the same result immediately and in a later query",
      ([decision, answer, recorded]) =>
        Effect.gen(function* () {
          const { ask, decide, gateway, send } = yield* start
          decide(decision)
          assert.deepStrictEqual(yield* send, answer)
          assert.deepStrictEqual(yield* ask, answer)
          assert.deepStrictEqual(gateway.truth.of(xidOf(1)), recorded)
        })
    )

    it.effect("is carried out once under three concurrent requests", () =>
      Effect.gen(function* () {
        const { gateway, send } = yield* start
        assert.deepStrictEqual(yield* Effect.all([send, send, send], { concurrency: 3 }), [done, done, done])
        assert.deepStrictEqual(gateway.truth.of(xidOf(1)), after)
      })
    )

    // Fault, result, result of a later query, and the record of the gateway.
    it.effect.each<readonly [Misbehaviour, object, object, object]>([
      ["cut before", Unknown(), nothingKnown, before],
      ["cut after", Unknown(), done, after],
      ["cut midway", Unknown(), done, after],
      ["broken before", Unknown(), nothingKnown, before],
      ["broken after", Unknown(), done, after],
      ["garbage", Unknown(), done, after],
      ["contradiction", Unknown(), done, after],
      ["duplicate", done, done, after],
      ["late", Unknown(), Unknown(), after],
      ["not found", Unknown(), nothingKnown, before]
    ])("under the fault %s has a safe result", ([misbehaviour, answer, later, recorded]) =>
      Effect.gen(function* () {
        const { ask, gateway, send } = yield* start
        gateway.misbehaviours.plan(xid, misbehaviour)
        assert.deepStrictEqual(yield* send, answer)
        assert.deepStrictEqual(yield* ask, later)
        assert.deepStrictEqual(gateway.truth.of(xidOf(1)), recorded)
      })
    )

    it.effect.each([
      ["silent before", nothingKnown],
      ["silent after", done],
      ["trickle", done]
    ] as const)("under the fault %s waits until its caller stops waiting", ([misbehaviour, later]) =>
      Effect.gen(function* () {
        const { ask, gateway, send } = yield* start
        gateway.misbehaviours.plan(xid, misbehaviour)
        const arrived = gateway.arrivals.reach(gateway.requests.length + 1)
        assert.isTrue(yield* isSilent(send, arrived))
        assert.deepStrictEqual(yield* ask, later)
      })
    )

    it.effect.each<readonly [Misbehaviour, object]>([
      ["cut before", Unknown()],
      ["cut after", Unknown()],
      ["cut midway", Unknown()],
      ["broken before", Unknown()],
      ["garbage", Unknown()],
      ["contradiction", Unknown()],
      ["not found", nothingKnown]
    ])("has its correct result in the second status query after the fault %s in the first", ([misbehaviour, answer]) =>
      Effect.gen(function* () {
        const { ask, gateway, send } = yield* start
        yield* send
        gateway.misbehaviours.plan(xid, misbehaviour)
        assert.deepStrictEqual(yield* ask, answer)
        assert.deepStrictEqual(yield* ask, done)
      })
    )

    it.effect("that the gateway carries out late is first not found, then unknown, and done after ten minutes", () =>
      Effect.gen(function* () {
        const { ask, gateway, send } = yield* start
        gateway.misbehaviours.plan(xid, "late", "not found")
        yield* send
        assert.deepStrictEqual(yield* ask, nothingKnown)
        yield* TestClock.adjust("599 seconds")
        assert.deepStrictEqual(yield* ask, Unknown())
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* ask, done)
      })
    )

    it.effect.each([unusedAddress, unknownHost])("is not sent when the gateway cannot be reached at %s", (url) =>
      Effect.gen(function* () {
        const { ask, send } = yield* operation.connect(url)
        assert.deepStrictEqual([yield* send, yield* ask], [NotSent(), operation.notAsked])
      })
    )
  })
})
