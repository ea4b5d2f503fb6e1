import { Schema } from "effect"
import { misbehaviours } from "../../fakes/FakeServer.ts"
import { Subscription } from "./WebhookEndpoints.ts"

// These commands are not in the file of the commands to a server, because a server starts often and should not load the fakes.

/** The outcome of an operation at the suppliers, and how the suppliers mishandle each request about it. */
export const SupplierPlan = Schema.Struct({
  xid: Schema.String,
  /** The decision of the supplier. Null when the operation succeeds. */
  decision: Schema.NullOr(Schema.Literals(["refused", "pending"])),
  /** Whether the first request gets a response that says it was not processed. */
  turnedAway: Schema.Boolean,
  misbehaviours: Schema.Array(Schema.NullOr(Schema.Literals(misbehaviours)))
})
export type SupplierPlan = typeof SupplierPlan.Type

/** Commands to the suppliers. */
export const SupplierCommand = Schema.TaggedUnion({
  Play: { plans: Schema.Array(SupplierPlan) },
  /** Forget all planned misbehaviour. */
  Behave: {},
  /** Print the record of all deliveries as one line of JSON. */
  Report: {},
  /** Open an endpoint for a webhook. */
  Subscribe: { subscription: Subscription },
  /** Print the events that the endpoints received since this command last ran, as one line of JSON. */
  TakeEvents: {}
})
export type SupplierCommand = typeof SupplierCommand.Type

/** The orders that the suppliers received and delivered, by xid. */
export const SupplierRecord = Schema.Struct({
  /** Number of deliveries, and their total cost in centavos. */
  done: Schema.Record(Schema.String, Schema.Struct({ times: Schema.Int, charged: Schema.Int })),
  /** Number of requests to deliver that the suppliers accepted. */
  sent: Schema.Record(Schema.String, Schema.Int)
})
export type SupplierRecord = typeof SupplierRecord.Type
