import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { CoreError } from "../../core/domain/Errors.ts"
import { type CountedAs, spendByAddress } from "./Allowance.ts"
import { refuse } from "./Answer.ts"
import type { Call } from "./Call.ts"
import { withoutInput } from "./Incoming.ts"

/** Answers a call that no procedure answers, once it has been counted by its address. */
export const rateLimited = <E extends CoreError, R>(
  answer: (call: Call) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  as?: CountedAs
) =>
  Effect.flatMap(withoutInput, (call) =>
    spendByAddress(call, as).pipe(
      Effect.andThen(() => answer(call)),
      Effect.catch((error) => refuse(call, error))
    )
  )
