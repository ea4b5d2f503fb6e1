import { Context, type Effect } from "effect"
import type { PolicyFacts } from "../domain/Insurance.ts"

/** The policy itself, and the sticker that the vehicle carries. Contract: 4.6, step 8. */
export type PolicyDocument = "poliza" | "marbete"

/** Makes of a policy what its owner takes home. The same policy makes the same bytes. */
export class PolicyRenderer extends Context.Service<
  PolicyRenderer,
  {
    readonly pdf: (facts: PolicyFacts, document: PolicyDocument) => Effect.Effect<Uint8Array>
  }
>()("saldo/core/PolicyRenderer") {}
