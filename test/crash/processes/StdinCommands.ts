import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Schema, Stdio, Stream } from "effect"
import { PlannedSignal } from "./CrashPoints.ts"

/**
 * Executes the commands that the parent process writes to stdin, in order. Each command is one JSON document on a line.
 * Returns when stdin closes, which means that the parent ended or wants this process to end.
 */
export const readStdinCommands = <A, R>(
  command: Schema.Codec<A>,
  execute: (command: A) => Effect.Effect<void, never, R>
) =>
  Stdio.Stdio.use(({ stdin }) =>
    stdin.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.mapEffect((line) => Schema.decodeEffect(Schema.fromJsonString(command))(line)),
      Stream.runForEach(execute)
    )
  ).pipe(Effect.orDie, Effect.provide(NodeServices.layer))

/** Commands to a server. */
export const ServerCommand = Schema.TaggedUnion({
  /** Start serving. Before this command the process only loads its modules. */
  Serve: {},
  /** Arm a signal; null disarms it. */
  Arm: { planned: Schema.NullOr(PlannedSignal) }
})
