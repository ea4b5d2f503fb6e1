import { Context, Effect } from "effect"
import type { CompanyId, IdempotencyKey } from "./Ids.ts"
import { sha256Hex } from "./Sha256.ts"
import { inOnePiece } from "./Text.ts"

/** The hex part of an xid and its hyphen are 25 characters, and there are providers that take names of up to 40. */
export const xidPrefixLength_max = 15

/** What may precede the hex part, as the source of a regular expression. */
export const xidPrefixPattern = `[A-Za-z0-9]{1,${xidPrefixLength_max}}`

/** What precedes the hex part of every xid. */
export const XidPrefix = Context.Reference<string>("saldo/core/XidPrefix", { defaultValue: () => "RD" })

const named = (text: string) =>
  Effect.flatMap(XidPrefix, (prefix) => Effect.map(sha256Hex(text), (hex) => inOnePiece(prefix, "-", hex.slice(0, 24))))

/**
 * The provider-facing name of a sale: `<prefix>-<24 hex>`. The same company and key make the same xid, so a retry can
 * never become a second sale. Contract: 2.5.
 */
export const xidOf = (companyId: CompanyId, key: IdempotencyKey) => named(`${companyId}:${key}`)

/**
 * The provider-facing name of a reversal. A key that its sale gave up, because it was not reserved or never sent, may
 * come to name a reversal; the provider must not take one for the other. No key holds a line break, so no sale has such
 * a name.
 */
export const reversalXidOf = (companyId: CompanyId, key: IdempotencyKey) => named(`${companyId}:${key}\nanular`)
