import { DateTime, Effect, Layer } from "effect"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import { IdempotencyKey, type TransactionId } from "../../../core/domain/Ids.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { ReversalAnswer } from "../../../core/domain/Reversal.ts"
import { Providers } from "../../../core/ports/Provider.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import { reverse } from "../../../core/workflows/Reverse.ts"
import { sell } from "../../../core/workflows/Sell.ts"
import { intent, session } from "../../support/Examples.ts"
import { world } from "../../support/InMemoryWorld.ts"

/**
 * What the provider says of reversals: when it is told of one, and when it is asked about one; and asked about a sale.
 */
interface Says {
  readonly status?: Effect.Effect<StatusAnswer>
  readonly told?: Effect.Effect<ReversalAnswer>
  readonly asked?: Effect.Effect<ReversalAnswer>
}

/** Changes how the record of reversals behaves, to let it be slow or gone. */
export type ReversalFault = (reversals: Reversals["Service"]) => Reversals["Service"]

/** A world in which sales are delivered, and a record of which reversals were sent, and when they were asked about. */
export const reversing = (
  {
    asked = Effect.succeed(ReversalAnswer.Unknown()),
    status = Effect.succeed(StatusAnswer.Unknown()),
    told = Effect.succeed(ReversalAnswer.Confirmed())
  }: Says = {},
  fault: ReversalFault = (reversals) => reversals
) => {
  const sent: Array<string> = []
  const askedAt_s: Array<number> = []
  const { audited, layer } = world({
    status: () => status,
    reverse: ({ xid }) =>
      Effect.suspend(() => {
        sent.push(xid)
        return told
      }),
    reversalStatus: () =>
      Effect.flatMap(DateTime.now, (now) => {
        askedAt_s.push(DateTime.toEpochMillis(now) / 1000)
        return asked
      })
  })
  const reversals = Layer.effect(Reversals, Effect.map(Reversals, fault))
  return { askedAt_s, audited, layer: Layer.merge(Layer.provideMerge(reversals, layer), Sha256Node.layer), sent }
}

/** A sale of 100 pesos, reversible unless said otherwise. */
export const sold = Effect.fnUntraced(function* (
  changes: { readonly key?: string; readonly reversible?: boolean } = {}
) {
  const provider = yield* Providers.use((providers) => providers.serving("development"))
  const { outcome } = yield* sell({ ...intent(changes), reversible: changes.reversible ?? true }, provider)
  return outcome._tag === "Delivered" ? outcome.order.transactionId : outcome.transactionId
})

export const reverseSale = (id: TransactionId, key = "r1") => reverse(session, id, IdempotencyKey.make(key))

/** Begun by a process that died before it could send. */
export const unsentReversal = (transactionId: TransactionId, key = "r1") =>
  Reversals.use((reversals) =>
    reversals.begin({
      companyId: session.company.id,
      transactionId,
      key: IdempotencyKey.make(key),
      fingerprint: "aa",
      xid: `RV-${key}`
    })
  )
