import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { CoreError } from "../../core/domain/Errors.ts"
import type { Call } from "../trpc/Call.ts"
import { spendByAddress } from "../trpc/Gate.ts"
import { refuse } from "./Answer.ts"
import { withoutInput } from "./Incoming.ts"

/** Answers a call that no procedure answers, once it has been counted by its address. */
export const counted = <E extends CoreError, R>(
  answer: (call: Call) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  bucket?: Parameters<typeof spendByAddress>[1]
) =>
  Effect.flatMap(withoutInput, (call) =>
    spendByAddress(call, bucket).pipe(
      Effect.andThen(() => answer(call)),
      Effect.catch((error) => refuse(call, error))
    )
  )
