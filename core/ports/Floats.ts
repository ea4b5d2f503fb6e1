import { Context, type DateTime, type Effect } from "effect"
import type { FloatBalance, FloatReading } from "../domain/Float.ts"
import type { ProviderName } from "../domain/ProviderStatement.ts"

/** The last readings of the remaining balance with each provider, from all processes. */
export class Floats extends Context.Service<
  Floats,
  {
    readonly list: Effect.Effect<ReadonlyArray<FloatReading>>
    /** Stores an answer of the provider, unless a later answer is stored. */
    readonly store: (
      provider: ProviderName,
      balances: ReadonlyArray<FloatBalance>,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    /** Stores that the provider did not answer a question. The last answer stays stored. */
    readonly fail: (provider: ProviderName, at: DateTime.Utc) => Effect.Effect<void>
  }
>()("saldo/core/Floats") {}
