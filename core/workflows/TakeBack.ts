import { Effect } from "effect"
import { ReversalAnswer, type UnderReversal } from "../domain/Reversal.ts"
import { Providers } from "../ports/Provider.ts"
import { withFallback } from "./WithFallback.ts"

const said = ({ reversal }: UnderReversal, question: "reverse" | "reversalStatus") =>
  withFallback(
    Providers.use((providers) => providers.serving(reversal.order.environment)).pipe(
      Effect.flatMap((provider) => provider[question](reversal)),
      // Without a provider nothing was sent, and nobody was asked.
      Effect.catchTag("ServiceUnavailable", () => Effect.succeed<ReversalAnswer>(ReversalAnswer.NotSent()))
    ),
    Effect.succeed(ReversalAnswer.Unknown()),
    (cause) =>
      Effect.logError("a provider broke over a reversal, which stays open", { question, xid: reversal.xid }, cause)
  )

/** Asks the provider to take a sale back; without a firm word its answer is Unknown. */
export const takeBack = (under: UnderReversal) => said(under, "reverse")

/** What the provider says of a reversal that it may have been asked for. */
export const reversalStatusOf = (under: UnderReversal) => said(under, "reversalStatus")
