import { Data } from "effect"

/** We chose not to make the call: nothing of it left this process. */
export class NotAttempted extends Data.TaggedError("NotAttempted")<{
  readonly party: string
  readonly why: "circuit_open" | "busy"
}> {}
