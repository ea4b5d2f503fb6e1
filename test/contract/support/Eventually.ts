import { Effect } from "effect"

/** Does it again until it answers as it should: what is announced between processes takes its time. */
export const eventually = <A, E, R>(what: Effect.Effect<A, E, R>, isSo: (answer: A) => boolean) =>
  Effect.repeat(what, { until: isSo })
