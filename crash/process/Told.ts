import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Schema, Stdio, Stream } from "effect"

/**
 * Heeds what the parent process writes, a JSON document a line, in its order and until it says no more: then it is
 * gone, and nobody is left to stay for.
 */
export const told = <A, R>(order: Schema.Codec<A>, heed: (order: A) => Effect.Effect<void, never, R>) =>
  Stdio.Stdio.use(({ stdin }) =>
    stdin.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.mapEffect((line) => Schema.decodeEffect(Schema.fromJsonString(order))(line)),
      Stream.runForEach(heed)
    )
  ).pipe(Effect.orDie, Effect.provide(NodeServices.layer))
