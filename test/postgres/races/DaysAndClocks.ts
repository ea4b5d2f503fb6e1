import { assert } from "@effect/vitest"
import { Clock, DateTime, Effect, Option } from "effect"
import type { ClosingContent } from "../../../core/domain/Closing.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Closings } from "../../../core/ports/Closings.ts"
import { closeThrough } from "../../../core/workflows/CloseDays.ts"
import { makeClock } from "../../support/Clocks.ts"

/** Runs an effect on a server whose clock shows this time. */
export const at = (text: string) =>
  Effect.updateService(Clock.Clock, (clock) =>
    makeClock({
      wall_ms: () => DateTime.toEpochMillis(DateTime.makeUnsafe(text)),
      monotonic_ns: () => clock.monotonicTimeNanosUnsafe(),
      sleep: (duration) => clock.sleep(duration)
    })
  )

/** The local day of the races. Most races happen around its end. */
export const day = "2026-03-02"

export const noon = at("2026-03-02T12:00:00-04:00")
export const beforeMidnight = at("2026-03-02T23:59:59-04:00")
export const afterMidnight = at("2026-03-03T00:00:01-04:00")
export const daysAhead = at("2026-03-06T12:00:00-04:00")

/** The content of a company's closing for a day. */
export const contentOf = (company: number, day: string) =>
  Closings.use(({ find }) => find({ companyId: CompanyId.make(company), day })).pipe(
    Effect.map((found) => Option.getOrThrow(found).content)
  )

/** The closings of a company, the newest first. */
export const closingsOf = Effect.fnUntraced(function* (company: number) {
  const { list } = yield* Closings
  const { items } = yield* list(CompanyId.make(company), {}, { page: 1, perPage: 10 })
  return items.map(({ content }) => content)
})

/** Closes the day of a company, and of no other company. */
export const close = (company: number, last = day) =>
  Effect.map(closeThrough(last, { only: CompanyId.make(company) }), ({ mismatches }) =>
    assert.deepStrictEqual(mismatches, [])
  )

/** The sums of a closing in centavos. */
export const figuresOf = ({ closing, deposits, held, opening, reversals, sales }: ClosingContent) => ({
  opening,
  deposits: deposits.amount,
  sales: sales.amount,
  reversals: reversals.amount,
  closing,
  held: held.amount
})
