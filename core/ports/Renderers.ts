import { Context, type Effect } from "effect"
import type { PolicyFacts } from "../domain/Insurance.ts"
import type { Receipt } from "../domain/Receipt.ts"

/** The policy itself, or the sticker for the vehicle. Contract: 4.6, step 8. */
export type PolicyDocument = "poliza" | "marbete"

/** Renders the documents of a policy as PDF. Equal input gives equal bytes. */
export class PolicyRenderer extends Context.Service<
  PolicyRenderer,
  {
    readonly pdf: (facts: PolicyFacts, document: PolicyDocument) => Effect.Effect<Uint8Array>
  }
>()("saldo/core/PolicyRenderer") {}

/** Renders a receipt as PDF. Equal input gives equal bytes. */
export class ReceiptRenderer extends Context.Service<
  ReceiptRenderer,
  {
    readonly pdf: (receipt: Receipt) => Effect.Effect<Uint8Array>
  }
>()("saldo/core/ReceiptRenderer") {}
