import { Effect } from "effect"
import { type Reversal, ReversalAnswer } from "../../../core/domain/Reversal.ts"
import { ask } from "./Ask.ts"
import type { DtOneApi } from "./DtOneApi.ts"
import { Standing } from "./Transaction.ts"

/**
 * Answers a reversal by querying the sale. DT One has no request for reversing a confirmed sale; its staff reverses by
 * hand. The reversal is confirmed when DT One shows the sale as reversed, and denied while DT One shows it as
 * completed.
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
      // The answer is about an unknown sale. This sale may have been reversed.
      Contradicted: () => Effect.succeed(unanswered),
      Refused: ({ status }) =>
        Effect.as(
          Effect.logError("DT One reports a delivered sale as failed", { xid: order.xid, status }),
          ReversalAnswer.Denied()
        )
    })
  )

/** Nothing is sent to DT One. Without an answer the reversal has not begun, so the key may be used again. */
export const reverse = (api: DtOneApi, asked: Reversal) => reversal(api, asked, ReversalAnswer.NotSent())

export const reversalStatus = (api: DtOneApi, asked: Reversal) => reversal(api, asked, ReversalAnswer.Unknown())
