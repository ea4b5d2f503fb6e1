import { DateTime, Effect, Layer } from "effect"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import { IdempotencyKey, type TransactionId } from "../../../core/domain/Ids.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { ReversalAnswer, ReversalVerdict } from "../../../core/domain/Reversal.ts"
import { DispatchAnswer, Verdict } from "../../../core/domain/Sale.ts"
import type { Status } from "../../../core/domain/Status.ts"
import type { AuditEvent } from "../../../core/ports/AuditLog.ts"
import { Providers } from "../../../core/ports/Provider.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import type { Recovered } from "../../../core/workflows/Recover.ts"
import { reverse } from "../../../core/workflows/Reverse.ts"
import { sell } from "../../../core/workflows/Sell.ts"
import { intent, session } from "../../support/Examples.ts"
import { delivery, type money, type sales, settlingFails, world } from "../../support/InMemoryWorld.ts"

/** A provider's answer about a sale or a reversal. "not found" as the answer to an order for a sale means "unknown". */
export type Reply = "done" | "refused" | "unknown" | "not sent" | "not found"

/** The provider's answers to the operation under test, and the faults that the test injects. */
interface Behaviour {
  /** Answer to the sale or reversal. The default is "done". */
  readonly told?: Effect.Effect<Reply>
  /** Answer to a status query for the sale or reversal. The default is "unknown". */
  readonly asked?: Effect.Effect<Reply>
  /** Runs after the sale or reversal is recorded, before it is sent. */
  readonly recorded?: Effect.Effect<void>
  /** Number of settlements that fail as if the database were unavailable. */
  readonly failedSettlements?: number
}

/** An outcome that another process may store while the operation waits for its provider. */
type Settle = (reply: "done" | "refused" | "not sent") => Effect.Effect<unknown>

type Ports = Layer.Success<ReturnType<typeof world>["layer"] | typeof Sha256Node.layer>

/** A call of the operation, which may be repeated with the same key. */
interface Prepared {
  readonly call: Effect.Effect<
    { readonly outcome: { readonly _tag: string }; readonly replayed: boolean },
    { readonly _tag: string },
    Ports
  >
  /** The same call in a process that dies after it has recorded the operation, so the operation is not sent. */
  readonly unsent: Effect.Effect<unknown, never, Ports>
}

/** Services in memory for one operation. */
interface World {
  readonly layer: Layer.Layer<Ports>
  /** Prepares a call. Each number has its own key. */
  readonly prepare: (number?: number) => Effect.Effect<Prepared, never, Ports>
  /** The xids that the provider received. */
  readonly sent: ReadonlyArray<string>
  /** The times of the status queries. */
  readonly askedAt_s: ReadonlyArray<number>
  readonly audited: ReadonlyArray<AuditEvent>
  /** Settles the operation as another process does. */
  readonly settleElsewhere: Settle
}

/** The state of an operation that a test observes, and the points at which the test disturbs the operation. */
const observe = ({
  asked = Effect.succeed("unknown"),
  recorded = Effect.void,
  told = Effect.succeed("done")
}: Behaviour) => {
  const sent: Array<string> = []
  const askedAt_s: Array<number> = []
  let isKilled = false
  let settle: Settle = () => Effect.die(new Error("nothing is recorded"))
  return {
    sent,
    askedAt_s,
    settleElsewhere: ((reply) => Effect.suspend(() => settle(reply))) satisfies Settle,
    tell: (xid: string) =>
      Effect.suspend(() => {
        sent.push(xid)
        return told
      }),
    ask: Effect.flatMap(DateTime.now, (now) => {
      askedAt_s.push(DateTime.toEpochMillis(now) / 1000)
      return asked
    }),
    onRecorded: (settling: Settle) =>
      Effect.suspend(() => {
        settle = settling
        return isKilled ? Effect.die(new Error("killed")) : recorded
      }),
    unsent: <A, E, R>(call: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        isKilled = true
        yield* Effect.exit(call)
        isKilled = false
      })
  }
}

const dispatchAnswers: { readonly [Each in Reply]: DispatchAnswer } = {
  done: DispatchAnswer.Delivered({ delivery }),
  refused: DispatchAnswer.Refused({ refusal: "INVALID_PHONE" }),
  unknown: DispatchAnswer.Unknown(),
  "not sent": DispatchAnswer.NotSent(),
  "not found": DispatchAnswer.Unknown()
}

const statusAnswers: { readonly [Each in Reply]: StatusAnswer } = {
  done: StatusAnswer.Delivered({ delivery }),
  refused: StatusAnswer.Refused({ refusal: "INVALID_PHONE" }),
  unknown: StatusAnswer.Unknown(),
  "not sent": StatusAnswer.NotAsked(),
  "not found": StatusAnswer.NotFound()
}

const saleWorld = (behaviour: Behaviour = {}): World => {
  const { ask, onRecorded, tell, unsent, ...seen } = observe(behaviour)
  const { audited, layer } = world(
    {
      dispatch: ({ xid }) => Effect.map(tell(xid), (reply) => dispatchAnswers[reply]),
      status: () => Effect.map(ask, (reply) => statusAnswers[reply])
    },
    (ledger) => ({
      ...settlingFails(behaviour.failedSettlements ?? 0)(ledger),
      reserve: (wanted) =>
        Effect.tap(ledger.reserve(wanted), (reserved) => {
          if (reserved._tag === "Replay") return Effect.void
          const { order } = reserved
          const verdicts = {
            done: Verdict.Confirm({ delivery }),
            refused: Verdict.Release({ refusal: "INVALID_PHONE" }),
            "not sent": Verdict.Free()
          }
          return onRecorded((reply) =>
            ledger.settle({ order, verdict: verdicts[reply], at: order.createdAt, notFound: 0 })
          )
        })
    })
  )
  const prepare = Effect.fnUntraced(function* (number = 1) {
    const provider = yield* Providers.use((providers) => providers.serving("development"))
    const call = sell(intent({ key: `k${number}` }), provider)
    return { call, unsent: unsent(call) }
  }, Effect.orDie)
  return { ...seen, audited, layer: Layer.merge(layer, Sha256Node.layer), prepare }
}

const reversalAnswers: { readonly [Each in Reply]: ReversalAnswer } = {
  done: ReversalAnswer.Confirmed(),
  refused: ReversalAnswer.Denied(),
  unknown: ReversalAnswer.Unknown(),
  "not sent": ReversalAnswer.NotSent(),
  "not found": ReversalAnswer.NotFound()
}

/**
 * Services in memory whose provider delivers every sale.
 *
 * @param status the provider's answer to a status query for a sale.
 */
export const reversalWorld = (
  behaviour: Behaviour = {},
  status: Effect.Effect<StatusAnswer> = Effect.succeed(StatusAnswer.Unknown())
): World => {
  const { ask, onRecorded, tell, unsent, ...seen } = observe(behaviour)
  const { audited, layer } = world({
    status: () => status,
    reverse: ({ xid }) => Effect.map(tell(xid), (reply) => reversalAnswers[reply]),
    reversalStatus: () => Effect.map(ask, (reply) => reversalAnswers[reply])
  })
  const disturbed = (reversals: Reversals["Service"]): Reversals["Service"] => ({
    ...settlingFails(behaviour.failedSettlements ?? 0)(reversals),
    begin: (wanted) =>
      Effect.tap(reversals.begin(wanted), (begun) => {
        if (begun._tag === "Replay") return Effect.void
        const { unresolved } = begun
        const verdicts = {
          done: ReversalVerdict.Confirm(),
          refused: ReversalVerdict.Deny(),
          "not sent": ReversalVerdict.Free()
        }
        return onRecorded((reply) =>
          reversals.settle({ unresolved, verdict: verdicts[reply], at: unresolved.reversal.createdAt, notFound: 0 })
        )
      })
  })
  const prepare = Effect.fnUntraced(function* (number = 1) {
    const call = reverseSale(yield* sold({ key: `k${number}` }), `r${number}`)
    return { call, unsent: unsent(call) }
  }, Effect.orDie)
  const reversals = Layer.effect(Reversals, Effect.map(Reversals, disturbed))
  return { ...seen, audited, layer: Layer.merge(Layer.provideMerge(reversals, layer), Sha256Node.layer), prepare }
}

/** A sale of 100 pesos, reversible by default. */
export const sold = Effect.fnUntraced(function* (
  changes: { readonly key?: string; readonly reversible?: boolean } = {}
) {
  const provider = yield* Providers.use((providers) => providers.serving("development"))
  const { outcome } = yield* sell({ ...intent(changes), reversible: changes.reversible ?? true }, provider)
  return outcome._tag === "Delivered" ? outcome.order.transactionId : outcome.transactionId
})

export const reverseSale = (id: TransactionId, key = "r1") => reverse(session, id, IdempotencyKey.make(key))

type Money = Effect.Success<typeof money>

interface End {
  /** The response that the caller receives. */
  readonly response: string
  readonly status: Status
  readonly money: Money
  /** Name of the count that recovery increases. */
  readonly counted: keyof Recovered
}

interface Operation {
  readonly operation: string
  readonly world: (behaviour?: Behaviour) => World
  readonly xid: RegExp
  /** The money before the operation. */
  readonly before: Money
  /** The sale and the money while the operation waits for its provider. */
  readonly recorded: Pick<End, "status" | "money">
  readonly done: End
  readonly refused: End
  readonly unknown: End
  /** All sales after a first attempt that was not sent and a second attempt that succeeded. */
  readonly retried: Effect.Success<typeof sales>
  /** The money when the operation is done for two sales. */
  readonly doneTwice: Money
  /** The audit action of each answer that contradicts an earlier settlement. */
  readonly late: { readonly done: string; readonly refused: string }
}

/** The company's centavos after `count` sales of 100 pesos each. */
const moneyAfter = (count: number, held = 0) => ({
  available: 100_000 - count * 10_000,
  held,
  consumed: count * 10_000
})

/** A sale of 100 pesos out of 1000, and the reversal of such a sale. */
export const operations: ReadonlyArray<Operation> = [
  {
    operation: "a sale",
    world: saleWorld,
    xid: /^RD-k\d$/,
    before: moneyAfter(0),
    recorded: { status: "PROCESSING", money: moneyAfter(1, 10_000) },
    done: { response: "Delivered", status: "SUCCESS", money: moneyAfter(1), counted: "confirmed" },
    refused: { response: "Refused", status: "FAILED", money: moneyAfter(0), counted: "released" },
    unknown: { response: "Pending", status: "PENDING", money: moneyAfter(1, 10_000), counted: "stillUnknown" },
    retried: [
      ["RD-k1", "FAILED"],
      ["RD-k1", "SUCCESS"]
    ],
    doneTwice: moneyAfter(2),
    late: { done: "late_success", refused: "late_refusal" }
  },
  {
    operation: "a reversal",
    world: reversalWorld,
    xid: /^RD-[0-9a-f]{24}$/,
    before: moneyAfter(1),
    recorded: { status: "SUCCESS", money: moneyAfter(1) },
    done: { response: "Reversed", status: "REVERSED", money: moneyAfter(0), counted: "reversed" },
    refused: { response: "Denied", status: "SUCCESS", money: moneyAfter(1), counted: "reversalsDenied" },
    unknown: { response: "Pending", status: "SUCCESS", money: moneyAfter(1), counted: "stillUnknown" },
    retried: [["RD-k1", "REVERSED"]],
    doneTwice: moneyAfter(0),
    late: { done: "late_reversal", refused: "late_reversal_refusal" }
  }
]
