import { Effect, Layer, Stream } from "effect"
import type { CompanyId } from "../../core/domain/Ids.ts"
import { type DayRange, isWithin } from "../../core/domain/LocalTime.ts"
import { Statement } from "../../core/ports/Statement.ts"
import { Books } from "./Books.ts"

/** `Statement` in memory. */
export const layer = Layer.effect(
  Statement,
  Effect.map(Books, ({ of }) => {
    const found = (companyId: CompanyId, range: DayRange) =>
      Effect.sync(() =>
        of(companyId)
          .entries.filter((entry) => isWithin(range, entry.createdAt))
          .reverse()
      )
    return Statement.of({
      page: (companyId, range, { page, perPage }) =>
        Effect.map(found(companyId, range), (entries) => ({
          items: entries.slice((page - 1) * perPage, page * perPage),
          total: entries.length
        })),
      all: (companyId, range) => Stream.unwrap(Effect.map(found(companyId, range), Stream.fromIterable))
    })
  })
)
