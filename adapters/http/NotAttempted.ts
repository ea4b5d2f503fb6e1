import { Data } from "effect"

/** This process refused to make the call. Nothing was sent. */
export class NotAttempted extends Data.TaggedError("NotAttempted")<{
  readonly party: string
  readonly why: "circuit_open" | "busy"
}> {}
