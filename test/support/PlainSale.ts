import type { Intent } from "../../core/domain/Sale.ts"

/** All that a sale has beside who buys what: it is of a free amount, and cannot be taken back. */
export const plainSale = {
  terminalId: null,
  optionId: null,
  billId: null,
  insuranceId: null,
  product: null,
  reference: null,
  reversible: false
} as const satisfies Partial<Intent>
