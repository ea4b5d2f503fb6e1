import { Effect } from "effect"
import { type Reversal, ReversalAnswer } from "../../../core/domain/Reversal.ts"
import { ask } from "./Ask.ts"
import type { DtOneApi } from "./DtOneApi.ts"
import { Standing } from "./Transaction.ts"

/**
 * DT One takes nothing back on request: cancelling is for what is not confirmed yet, and reversing is what its people
 * do by hand. So a reversal is a question. It is confirmed when DT One shows the sale as reversed, which returns its
 * money, and denied while it shows it as completed.
 */
const reversal = (api: DtOneApi, { order }: Reversal, unanswered: ReversalAnswer): Effect.Effect<ReversalAnswer> =>
  Effect.flatMap(
    ask(api, order),
    Standing.$match({
      TakenBack: () => Effect.succeed(ReversalAnswer.Confirmed()),
      Delivered: () => Effect.succeed(ReversalAnswer.Denied()),
      Open: () => Effect.succeed(unanswered),
      NotFound: () => Effect.succeed(unanswered),
      NoAnswer: () => Effect.succeed(unanswered),
      NotAsked: () => Effect.succeed(ReversalAnswer.NotSent()),
      // Of which sale it speaks is not known: it may have been taken back.
      Contradicted: () => Effect.succeed(unanswered),
      Refused: ({ status }) =>
        Effect.as(
          Effect.logError("DT One says that a sale failed which it had delivered", { xid: order.xid, status }),
          ReversalAnswer.Denied()
        )
    })
  )

/** Nothing is told to DT One, so without an answer nothing has begun, and the key may be used again. */
export const reverse = (api: DtOneApi, asked: Reversal) => reversal(api, asked, ReversalAnswer.NotSent())

export const reversalStatus = (api: DtOneApi, asked: Reversal) => reversal(api, asked, ReversalAnswer.Unknown())
