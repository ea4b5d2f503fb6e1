import { Effect, Layer, Option } from "effect"
import type { CompanyId } from "../../core/domain/Ids.ts"
import type { OfferedOption } from "../../core/domain/Lookup.ts"
import { Options } from "../../core/ports/Options.ts"

/** `Options` in memory. It never deletes an option. */
export const layer = Layer.sync(Options, () => {
  const known = new Map<string, OfferedOption>()
  const keyOf = (companyId: CompanyId, optionId: string) => `${companyId}:${optionId}`
  return Options.of({
    store: (options) =>
      Effect.sync(() => {
        for (const option of options) known.set(keyOf(option.companyId, option.id), option)
      }),
    find: (companyId, optionId) => Effect.sync(() => Option.fromUndefinedOr(known.get(keyOf(companyId, optionId))))
  })
})
