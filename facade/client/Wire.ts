import type { ErrorCode, ErrorDetails } from "../../core/domain/ErrorCodes.ts"
import type { EventView } from "../api/EventView.ts"
import type { Procedure } from "../api/Procedure.ts"
import type { procedures } from "../api/Procedures.ts"

/** An input with an optional idempotency key, because the client makes a key for a call without one. */
type WithOptionalKey<I> = I extends { readonly idempotency_key: infer Key }
  ? Omit<I, "idempotency_key"> & { readonly idempotency_key?: Key }
  : I

type CallOf<P> =
  P extends Procedure<infer Type, infer _S, infer _A, infer I, infer O>
    ? { readonly type: Type; readonly input: WithOptionalKey<I>; readonly output: O }
    : never

/**
 * The types of everything that the client sends and receives. The build of the package replaces this file with plain
 * types, made from wireSchema.ts, because these types depend on the server and on effect.
 */
export interface Wire {
  readonly procedures: {
    readonly [Resource in keyof typeof procedures]: {
      readonly [Action in keyof (typeof procedures)[Resource]]: CallOf<(typeof procedures)[Resource][Action]>
    }
  }
  readonly errorCode: ErrorCode
  readonly errorDetails: ErrorDetails
  readonly event: typeof EventView.Type
}
