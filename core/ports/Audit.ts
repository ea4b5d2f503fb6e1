import { Context, type Effect } from "effect"
import type { Invariant } from "../domain/Invariants.ts"
import type { LastAudit } from "../domain/Panorama.ts"

/** The result of checking one invariant. */
export interface InvariantResult {
  readonly invariant: Invariant
  readonly violations: number
  /** The first few rows that violate the invariant. */
  readonly offenders: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** Checks the invariants on a snapshot of the whole database, without stopping sales. */
export class Audit extends Context.Service<
  Audit,
  {
    readonly prove: Effect.Effect<ReadonlyArray<InvariantResult>>
    /** Stores the result of an audit, unless the result of a later audit is stored. */
    readonly record: (ended: LastAudit) => Effect.Effect<void>
    /** The last audit that has ended, in any process. Null if no audit has ended yet. */
    readonly last: Effect.Effect<LastAudit | null>
  }
>()("saldo/core/Audit") {}
