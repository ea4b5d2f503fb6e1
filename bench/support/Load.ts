import type { Shape } from "./Shape.ts"

/** Who is put under load, and with what. */
export interface Load {
  /** The addresses of the servers that share the calls. */
  readonly urls: ReadonlyArray<string>
  readonly shape: Shape
  /** How many calls are under way at once. */
  readonly connections: number
  readonly seconds: number
}

/** What a load generator counts. */
export interface Counted {
  readonly succeeded: number
  /** Answers that were not a success. */
  readonly refused: number
  /** Calls without an answer. */
  readonly broken: number
  readonly seconds: number
  readonly p50_ms: number
  readonly p99_ms: number
}

/** How a service did under a load that it answered without a fault. */
export interface Measured {
  readonly succeeded: number
  readonly perSecond: number
  readonly p50_ms: number
  readonly p99_ms: number
}
