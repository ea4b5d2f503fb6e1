import { Context, type Effect, type Option } from "effect"
import type { CompanyId } from "../domain/Ids.ts"
import type { OfferedOption } from "../domain/Lookup.ts"

/**
 * Options that lookups offered to companies. An expired option is kept for a day, so that a sale with it gets the error
 * "expired".
 */
export class Options extends Context.Service<
  Options,
  {
    /** Stores the options of one lookup. A known option gets a new expiry. */
    readonly store: (options: ReadonlyArray<OfferedOption>) => Effect.Effect<void>
    readonly find: (companyId: CompanyId, optionId: string) => Effect.Effect<Option.Option<OfferedOption>>
  }
>()("saldo/core/Options") {}
