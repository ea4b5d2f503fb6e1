import { Context, type Effect } from "effect"
import type { Invariant } from "../domain/Invariants.ts"

/** An invariant that was examined, and what breaks it. */
export interface Examined {
  readonly invariant: Invariant
  readonly violations: number
  /** The first few that break it, as facts. */
  readonly offenders: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** Proves the invariants on the whole database, as it stood at one instant, while it goes on working. */
export class Audit extends Context.Service<
  Audit,
  {
    readonly prove: Effect.Effect<ReadonlyArray<Examined>>
  }
>()("saldo/core/Audit") {}
