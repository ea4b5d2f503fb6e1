import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Schema, Stdio, Stream } from "effect"
import { misbehaviours } from "../../fakes/FakeServer.ts"
import { PlannedSignal } from "./CrashPoints.ts"

/**
 * Heeds what the parent process writes, a JSON document a line, in its order and until it says no more: then it is
 * gone, and nobody is left to stay for.
 */
export const readStdinCommands = <A, R>(order: Schema.Codec<A>, heed: (order: A) => Effect.Effect<void, never, R>) =>
  Stdio.Stdio.use(({ stdin }) =>
    stdin.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.mapEffect((line) => Schema.decodeEffect(Schema.fromJsonString(order))(line)),
      Stream.runForEach(heed)
    )
  ).pipe(Effect.orDie, Effect.provide(NodeServices.layer))

/** What a run tells a server. */
export const ServerCommand = Schema.TaggedUnion({
  /** It begins to serve; until then it has only loaded what it is made of. */
  Serve: {},
  /** It meets this fate from now on; null lets it live. */
  Meet: { fate: Schema.NullOr(PlannedSignal) }
})

/** What becomes of a deed at the suppliers, and how they behave towards the requests about it, in their order. */
export const SupplierPlan = Schema.Struct({
  xid: Schema.String,
  /** Null when it is done. */
  decision: Schema.NullOr(Schema.Literals(["refused", "pending"])),
  /** The first request is not taken: nothing is done, and the answer says so. */
  turnedAway: Schema.Boolean,
  misbehaviours: Schema.Array(Schema.NullOr(Schema.Literals(misbehaviours)))
})
export type SupplierPlan = typeof SupplierPlan.Type

/** What a run tells the suppliers. */
export const SupplierCommand = Schema.TaggedUnion({
  Play: { plans: Schema.Array(SupplierPlan) },
  /** From now on they behave, whatever was planned. */
  Behave: {},
  /** They tell the truth, as one line of JSON. */
  Tell: {}
})
export type SupplierCommand = typeof SupplierCommand.Type

/** What the suppliers really did, by xid. */
export const SupplierRecord = Schema.Struct({
  /** How often it was done, and the centavos that it cost, all told. */
  done: Schema.Record(Schema.String, Schema.Struct({ times: Schema.Int, charged: Schema.Int })),
  /** How often they were told to do it, and did not turn the request away. */
  sent: Schema.Record(Schema.String, Schema.Int)
})
export type SupplierRecord = typeof SupplierRecord.Type
