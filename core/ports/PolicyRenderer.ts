import { Context, type Effect } from "effect"
import type { PolicyFacts } from "../domain/Insurance.ts"

/** The policy itself, or the sticker for the vehicle. Contract: 4.6, step 8. */
export type PolicyDocument = "poliza" | "marbete"

/** Renders the documents of a policy as PDF. Equal input gives equal bytes. */
export class PolicyRenderer extends Context.Service<
  PolicyRenderer,
  {
    readonly pdf: (facts: PolicyFacts, document: PolicyDocument) => Effect.Effect<Uint8Array>
  }
>()("saldo/core/PolicyRenderer") {}
