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
 * The provider's answers to a reversal, to a status question about the reversal, and to a status question about the
 * sale.
 */
interface Says {
  readonly status?: Effect.Effect<StatusAnswer>
  readonly told?: Effect.Effect<ReversalAnswer>
  readonly asked?: Effect.Effect<ReversalAnswer>
}

/** Changes the behaviour of the reversals port, for example to make it slow or unavailable. */
export type ReversalFault = (reversals: Reversals["Service"]) => Reversals["Service"]

/** Services in memory that deliver sales. Records the reversals sent and the times of status questions. */
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

/** A sale of 100 pesos, reversible by default. */
export const sold = Effect.fnUntraced(function* (
  changes: { readonly key?: string; readonly reversible?: boolean } = {}
) {
  const provider = yield* Providers.use((providers) => providers.serving("development"))
  const { outcome } = yield* sell({ ...intent(changes), reversible: changes.reversible ?? true }, provider)
  return outcome._tag === "Delivered" ? outcome.order.transactionId : outcome.transactionId
})

export const reverseSale = (id: TransactionId, key = "r1") => reverse(session, id, IdempotencyKey.make(key))

/** Records a reversal and stops before sending it, as if the process died. */
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
