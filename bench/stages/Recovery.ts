import { Duration, Effect } from "effect"
import { ended } from "../../tools/server/Server.ts"
import { Failed } from "../support/Failed.ts"
import { alone, type Figure } from "../support/Figures.ts"
import { makePending } from "../support/History.ts"
import { highest_MB, watching } from "../support/Memory.ts"
import { Progress } from "../support/Progress.ts"
import { command, connectedTo } from "../support/Services.ts"

const pending = 100_000
const planned_s = 90
const memory_MB = 512

export const recoveryLength_s = planned_s

/** Lets `saldo reconcile` settle what the provider, which answers at once, has left unknown. */
export const recover = Effect.fnUntraced(function* (database: string) {
  const { step } = yield* Progress
  return yield* step(
    `Recovery of ${pending} pending sales`,
    planned_s,
    Effect.scoped(
      Effect.gen(function* () {
        yield* Effect.provide(makePending(pending), connectedTo(database))
        const reconcile = yield* command(database, "reconcile")
        const [took, { result, samples }] = yield* Effect.timed(watching(reconcile.process.pid ?? 0, ended(reconcile)))
        const { confirmadas } = result === 0 ? JSON.parse(reconcile.stdout()) : { confirmadas: 0 }
        if (confirmadas !== pending) {
          return yield* new Failed({
            message: `reconcile confirmed ${confirmadas} of ${pending}: ${reconcile.stderr()}${reconcile.stdout()}`
          })
        }
        const rate = pending / Duration.toSeconds(took)
        return [
          alone({ what: "Recovery of 100,000 pending", unit: "/s", goal: { is: "at least", value: 1_000 } }, rate),
          alone(
            { what: "Its memory at the most", unit: "MB", goal: { is: "at most", value: memory_MB } },
            highest_MB(samples)
          )
        ] satisfies ReadonlyArray<Figure>
      })
    )
  )
})
