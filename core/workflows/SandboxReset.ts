import { DateTime, Duration, Effect, Option, Schedule } from "effect"
import { dayOf, nextDay, startOfDay } from "../domain/LocalTime.ts"
import { toPesos } from "../domain/Money.ts"
import { Adjustments } from "../ports/Adjustments.ts"
import { logDefect } from "./LogDefect.ts"
import { retryUntilSuccess } from "./RetryUntilSuccess.ts"
import { sandboxCompany, sandboxOpening } from "./Seed.ts"

/**
 * Gives the shared sandbox its opening deposit to spend again, once a local day, whichever process comes first. What is
 * held stays held, beside it: it may be held for ever. The day on which the sandbox was made needs no reset.
 */
const resetSandbox = Effect.fn("SandboxReset.resetSandbox")(function* (at: DateTime.Utc) {
  const company = yield* sandboxCompany
  if (Option.isNone(company)) return
  const adjustments = yield* Adjustments
  const day = dayOf(at)
  const moved = yield* adjustments.adjust({
    companyId: company.value.id,
    goal: sandboxOpening,
    reference: `sandbox-${day}`,
    since: startOfDay(day),
    at
  })
  if (moved !== null) yield* Effect.logInfo("the sandbox begins the day", { day, moved_pesos: toPesos(moved) })
})

const pace = Schedule.spaced("5 seconds")

/** Resets the sandbox at each local midnight for as long as the process lives; at once when today's was missed. */
export const keepResetting = Effect.gen(function* () {
  const at = yield* DateTime.now
  yield* resetSandbox(at).pipe(retryUntilSuccess(pace, (defect) => logDefect("the sandbox was not reset yet", defect)))
  const left = DateTime.distance(yield* DateTime.now, startOfDay(nextDay(dayOf(at))))
  yield* Effect.sleep(Duration.max(left, Duration.zero))
}).pipe(Effect.forever)
