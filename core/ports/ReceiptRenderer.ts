import { Context, type Effect } from "effect"
import type { Receipt } from "../domain/Receipt.ts"

/** Makes of a receipt something to print. The same receipt makes the same bytes. */
export class ReceiptRenderer extends Context.Service<
  ReceiptRenderer,
  {
    readonly pdf: (receipt: Receipt) => Effect.Effect<Uint8Array>
  }
>()("saldo/core/ReceiptRenderer") {}
