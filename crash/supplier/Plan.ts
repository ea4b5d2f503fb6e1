import { Schema } from "effect"
import { misbehaviours } from "../../tools/fakes/Misbehaviour.ts"

/** What becomes of a deed at the suppliers, and how they behave towards the requests about it, in their order. */
export const Plan = Schema.Struct({
  xid: Schema.String,
  /** Null when it is done. */
  decision: Schema.NullOr(Schema.Literals(["refused", "pending"])),
  /** The first request is not taken: nothing is done, and the answer says so. */
  turnedAway: Schema.Boolean,
  misbehaviours: Schema.Array(Schema.NullOr(Schema.Literals(misbehaviours)))
})
export type Plan = typeof Plan.Type

/** What a run tells the suppliers. */
export const SupplierOrder = Schema.TaggedUnion({
  Play: { plans: Schema.Array(Plan) },
  /** From now on they behave, whatever was planned. */
  Behave: {},
  /** They tell the truth, as one line of JSON. */
  Tell: {}
})
export type SupplierOrder = typeof SupplierOrder.Type

/** What the suppliers really did, by xid. */
export const Told = Schema.Struct({
  /** How often it was done, and the centavos that it cost, all told. */
  done: Schema.Record(Schema.String, Schema.Struct({ times: Schema.Int, charged: Schema.Int })),
  /** How often they were told to do it, and did not turn the request away. */
  sent: Schema.Record(Schema.String, Schema.Int)
})
export type Told = typeof Told.Type
