import { Context, type Effect } from "effect"
import type { Receipt } from "../domain/Receipt.ts"

/** Renders a receipt as PDF. Equal input gives equal bytes. */
export class ReceiptRenderer extends Context.Service<
  ReceiptRenderer,
  {
    readonly pdf: (receipt: Receipt) => Effect.Effect<Uint8Array>
  }
>()("saldo/core/ReceiptRenderer") {}
