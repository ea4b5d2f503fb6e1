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
    /** Stores the result of an audit. The result of an earlier audit does not replace it. */
    readonly record: (ended: LastAudit) => Effect.Effect<void>
    /** The last audit of any process. Null: none has ended. */
    readonly last: Effect.Effect<LastAudit | null>
  }
>()("saldo/core/Audit") {}
