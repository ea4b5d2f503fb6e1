import { Context, type Effect, Schema } from "effect"
import type { DocumentsBusy } from "../domain/Errors.ts"
import type { PolicyFacts } from "../domain/Insurance.ts"
import type { PrintedTable } from "../domain/PrintedTable.ts"
import type { Receipt } from "../domain/Receipt.ts"

/** The policy itself, or the sticker for the vehicle. Contract: 4.6, step 8. */
export const PolicyDocument = Schema.Literals(["poliza", "marbete"])
export type PolicyDocument = typeof PolicyDocument.Type

/**
 * Renders the documents of a policy as PDF. Equal input gives equal bytes. Rendering is slow and must not delay other
 * calls, so the call fails if too many documents wait.
 */
export class PolicyRenderer extends Context.Service<
  PolicyRenderer,
  {
    readonly pdf: (facts: PolicyFacts, document: PolicyDocument) => Effect.Effect<Uint8Array, DocumentsBusy>
  }
>()("saldo/core/PolicyRenderer") {}

/** Renders a receipt as PDF. Equal input gives equal bytes. The call fails if too many documents wait. */
export class ReceiptRenderer extends Context.Service<
  ReceiptRenderer,
  {
    readonly pdf: (receipt: Receipt) => Effect.Effect<Uint8Array, DocumentsBusy>
  }
>()("saldo/core/ReceiptRenderer") {}

/** Renders a table as PDF. Equal input gives equal bytes. The call fails if too many documents wait. */
export class TableRenderer extends Context.Service<
  TableRenderer,
  {
    readonly pdf: (table: PrintedTable) => Effect.Effect<Uint8Array, DocumentsBusy>
  }
>()("saldo/core/TableRenderer") {}
