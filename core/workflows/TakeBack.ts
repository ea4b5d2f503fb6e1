import { Effect } from "effect"
import { ReversalAnswer, type UnderReversal } from "../domain/Reversal.ts"
import { Providers } from "../ports/Provider.ts"
import { withFallback } from "./WithFallback.ts"

const said = ({ reversal }: UnderReversal, question: "reverse" | "reversalStatus") =>
  withFallback(
    Providers.use((providers) => providers.serving(reversal.order.environment)).pipe(
      Effect.flatMap((provider) => provider[question](reversal)),
      // Without a provider nothing was sent.
      Effect.catchTag("ServiceUnavailable", () => Effect.succeed<ReversalAnswer>(ReversalAnswer.NotSent()))
    ),
    Effect.succeed(ReversalAnswer.Unknown()),
    (cause) =>
      Effect.logError(
        "the provider's adapter failed on a reversal, which stays open",
        { question, xid: reversal.xid },
        cause
      )
  )

/** Asks the provider to reverse a sale. An answer that is not firm is Unknown. */
export const takeBack = (under: UnderReversal) => said(under, "reverse")

/** Asks the provider for the status of a reversal. */
export const reversalStatusOf = (under: UnderReversal) => said(under, "reversalStatus")
