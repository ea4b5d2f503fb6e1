import type { Filled } from "./Filled.ts"
import type { HttpRequest } from "./HttpRequest.ts"

/** A request, and the calls that it makes. */
export interface Prepared {
  readonly request: HttpRequest
  readonly filled: readonly [Filled, ...Array<Filled>]
}
