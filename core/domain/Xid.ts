import { Context, Effect } from "effect"
import { Digest } from "effect/crypto"
import type { CompanyId, IdempotencyKey } from "./Ids.ts"

/** What precedes the hex part of every xid. */
export const XidPrefix = Context.Reference<string>("saldo/core/XidPrefix", { defaultValue: () => "RD" })

const encoder = new TextEncoder()

/**
 * The provider-facing name of a sale: `<prefix>-<24 hex>`. The same company and key make the same xid, so a retry can
 * never become a second sale. Contract: 2.5.
 */
export const xidOf = Effect.fnUntraced(function* (companyId: CompanyId, key: IdempotencyKey) {
  const digest = yield* Digest.Digest
  const prefix = yield* XidPrefix
  const hex = yield* digest.digestHex(Digest.sha256, encoder.encode(`${companyId}:${key}`))
  return `${prefix}-${hex.slice(0, 24)}`
})
