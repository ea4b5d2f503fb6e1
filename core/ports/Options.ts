import { Context, type Effect, type Option } from "effect"
import type { CompanyId } from "../domain/Ids.ts"
import type { Offered } from "../domain/Offered.ts"

/**
 * What lookups offered to companies. An expired option is still found for a day, so that its buyer hears that it has
 * expired; then it may be forgotten.
 */
export class Options extends Context.Service<
  Options,
  {
    /** Keeps the options of one lookup; an option that is known is offered anew. */
    readonly store: (options: ReadonlyArray<Offered>) => Effect.Effect<void>
    readonly find: (companyId: CompanyId, optionId: string) => Effect.Effect<Option.Option<Offered>>
  }
>()("saldo/core/Options") {}
