import type { SentCall } from "../../adapters/CallCounterPrimary.ts"

/** Messages between the primary process and its workers. After an upgrade, a worker may be newer than the primary. */

/** What the primary process asks a worker, for the operations port. */
export type Question = "alive" | "missing" | "cellsDown" | "metrics"

export type ToWorker =
  /** Gives the background work to the worker. It keeps this work until it ends. */
  | { readonly _tag: "Lead" }
  /** The worker has a successor and must stop. */
  | { readonly _tag: "Leave" }
  /** The answer to `Count`. */
  | { readonly _tag: "Counted"; readonly counts: ReadonlyArray<number> }
  | { readonly _tag: "Ask"; readonly id: number; readonly question: Question }

export type ToPrimary =
  /** Calls for the rate limit. */
  | { readonly _tag: "Count"; readonly calls: ReadonlyArray<SentCall> }
  /** The answer to `Ask`, by question: the parts that are not ready, the cells that are down, or all metrics as one text. */
  | { readonly _tag: "Answer"; readonly id: number; readonly answer: ReadonlyArray<string> }
  /** The last metrics of a worker that ends. */
  | { readonly _tag: "LastMetrics"; readonly text: string }
