import { Context, type Effect, type Redacted } from "effect"
import type { OperatorSession } from "./Procedure.ts"

/** The sessions of signed-in operators. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** The session of a token. Null if there is none or it has ended. */
    readonly find: (token: Redacted.Redacted) => Effect.Effect<OperatorSession | null>
    readonly end: (token: Redacted.Redacted) => Effect.Effect<void>
  }
>()("saldo/facade/console/Sessions") {}
