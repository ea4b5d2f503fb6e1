import { Context, type DateTime, type Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { HourOfService, OpenMatters, SupplierResult } from "../domain/Panorama.ts"

/** A range of instants: `since` inclusive, `until` exclusive. */
export interface Interval {
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
}

/** Reads the panorama's numbers over all companies of an environment. No read scans all sales. */
export class PanoramaReads extends Context.Service<
  PanoramaReads,
  {
    /** Environments with at least one company. */
    readonly environments: Effect.Effect<ReadonlyArray<Environment>>
    /** The sales created in the interval, which is at most one local day. Each hour of a service has a row for each cell. */
    readonly sales: (environment: Environment, created: Interval) => Effect.Effect<ReadonlyArray<HourOfService>>
    /** The settled sales among the sales created in the interval. The row of a supplier comes before its services. */
    readonly suppliers: (environment: Environment, created: Interval) => Effect.Effect<ReadonlyArray<SupplierResult>>
    readonly open: (environment: Environment, now: DateTime.Utc) => Effect.Effect<OpenMatters>
  }
>()("saldo/core/PanoramaReads") {}
