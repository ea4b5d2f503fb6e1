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
    /** The sales created within at most one local day. An hour of a service has a row for each cell with such sales. */
    readonly sales: (environment: Environment, created: Interval) => Effect.Effect<ReadonlyArray<HourOfService>>
    /** The settled sales among those created in the interval. First each supplier, then its services. */
    readonly suppliers: (environment: Environment, created: Interval) => Effect.Effect<ReadonlyArray<SupplierResult>>
    readonly open: (environment: Environment, now: DateTime.Utc) => Effect.Effect<OpenMatters>
  }
>()("saldo/core/PanoramaReads") {}
