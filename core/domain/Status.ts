import { Schema } from "effect"

/** Where a sale stands. Contract: 3.1. */
export const Status = Schema.Literals(["PROCESSING", "PENDING", "SUCCESS", "FAILED", "REVERSED"])
export type Status = typeof Status.Type
