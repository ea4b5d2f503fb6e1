import { Duration, Effect, Option, Schedule } from "effect"
import type { SeededRandom } from "../support/SeededRandom.ts"
import { type ClientLoad, isFinal } from "./Clients.ts"
import type { CellClosing } from "./CloseCell.ts"
import type { CrashEnvironment, Customer, RoundLog } from "./environment/Environment.ts"
import type { Server } from "./environment/ServersAndSuppliers.ts"
import type { CrashPoint } from "./processes/CrashPoints.ts"

/** Latest start of a fault: after this number of purchases, or after this time, whichever comes first. */
const purchases_max = 30
const start_max = "400 millis"

/** Timeout of the wait for a fault to happen. */
const fault_max = Duration.seconds(30)

/**
 * Timeout of the wait for sales. It is longer than `fault_max`, because the run fails after this timeout, and the machine may
 * be busy.
 */
export const sales_max = Duration.minutes(2)

/** The environment, the clients and the servers on which a fault acts. */
export interface FaultContext {
  readonly environment: CrashEnvironment["Service"]
  readonly load: ClientLoad
  readonly chance: SeededRandom
  readonly log: RoundLog
  /** Servers that this fault may kill or stop. */
  readonly servers: ReadonlyArray<Server>
  /** Crash points that a server has reached so far. */
  readonly reached: Set<CrashPoint>
  /** The periods of the run so far in which a cell was closed. */
  readonly cellClosings: Array<CellClosing>
}

/** Waits until the clients have tried a random number of purchases, but at most `start_max`. */
export const waitDuringLoad = ({ chance, load }: FaultContext) =>
  Effect.asVoid(Effect.timeoutOption(load.progress(chance.between(1, purchases_max)), start_max))

/** Waits for an effect, until the clients stop or the timeout passes. None if the effect did not end before. */
export const beforeLoadEnds = <A>({ load }: FaultContext, happens: Effect.Effect<A>, timeout = fault_max) =>
  Effect.raceFirst(Effect.asSome(happens), Effect.as(load.stopped, Option.none<A>())).pipe(
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeed(Option.none<A>()) })
  )

/** Waits until each of these companies has made another sale with a final response. */
export const companiesSell = ({ load }: FaultContext, companies: ReadonlyArray<Customer>) =>
  Effect.suspend(() => {
    const before = load.operations.length
    const sells = Effect.sync(() => {
      const since = load.operations.slice(before).filter(({ responses }) => responses.some(isFinal))
      return companies.every((company) => since.some(({ customer }) => customer === company))
    })
    return Effect.repeat(sells, { until: (all) => all, schedule: Schedule.spaced("10 millis") })
  })
