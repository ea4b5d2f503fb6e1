import { DateTime, Duration, Effect, Option, Schedule } from "effect"
import { dayOf, nextDay, startOfDay } from "../domain/LocalTime.ts"
import { toPesos } from "../domain/Money.ts"
import { Adjustments } from "../ports/Accounts.ts"
import { logDefect, retryUntilSuccess } from "./InFlight.ts"
import { sandboxCompany, sandboxOpening } from "./Seed.ts"

/**
 * Sets the available balance of the shared sandbox back to its opening deposit, once per local day. The first process
 * to call this makes the reset. Held amounts stay held, because some simulated sales are never resolved. A sandbox
 * created today is not reset.
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
  // Null means that today's reset was already made, 0 that the balance did not differ.
  if (moved !== null && moved !== 0)
    yield* Effect.logInfo("the sandbox balance was reset", { day, moved_pesos: toPesos(moved) })
})

const pace = Schedule.spaced("5 seconds")

/**
 * Resets the sandbox at each local midnight, for the life of the process. If today's reset was missed, it is made at
 * once.
 */
export const keepResetting = Effect.gen(function* () {
  const at = yield* DateTime.now
  yield* resetSandbox(at).pipe(
    retryUntilSuccess(pace, (defect) =>
      logDefect("the sandbox balance could not be reset and will be tried again", defect)
    )
  )
  const left = DateTime.distance(yield* DateTime.now, startOfDay(nextDay(dayOf(at))))
  yield* Effect.sleep(Duration.max(left, Duration.zero))
}).pipe(Effect.forever)
