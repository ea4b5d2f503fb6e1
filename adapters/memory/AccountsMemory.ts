import { Effect, Layer } from "effect"
import { Accounts } from "../../core/ports/Accounts.ts"
import { Books, consumptionIn } from "./Books.ts"

/** `Accounts` in memory. */
export const layer = Layer.effect(
  Accounts,
  Effect.map(Books, ({ of }) =>
    Accounts.of({
      read: (companyId, periods) =>
        Effect.sync(() => {
          const books = of(companyId)
          return { ...books.purse, consumption: consumptionIn(books, periods) }
        }),
      configure: (companyId, settings, at) =>
        Effect.sync(() => {
          const books = of(companyId)
          const { limits, lowBalanceAlert } = books.purse
          books.purse = {
            ...books.purse,
            limits: {
              daily: settings.daily ?? limits.daily,
              weekly: settings.weekly ?? limits.weekly,
              monthly: settings.monthly ?? limits.monthly
            },
            lowBalanceAlert: settings.lowBalanceAlert ?? lowBalanceAlert,
            updatedAt: at
          }
        })
    })
  )
)
