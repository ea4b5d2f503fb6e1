import { Context, Effect } from "effect"
import type { CompanyId, IdempotencyKey } from "./Ids.ts"
import { sha256Hex } from "./Sha256.ts"

/** Providers accept ids of at most 40 characters; the hyphen and the hex part take 25. */
export const xidPrefixLength_max = 15

/** Allowed prefixes, as the source of a regular expression. */
export const xidPrefixPattern = `[A-Za-z0-9]{1,${xidPrefixLength_max}}`

/** Prefix of every xid, before the hyphen. */
export const XidPrefix = Context.Reference<string>("saldo/core/XidPrefix", { defaultValue: () => "RD" })

const named = (text: string) =>
  Effect.flatMap(XidPrefix, (prefix) => Effect.map(sha256Hex(text), (hex) => `${prefix}-${hex.slice(0, 24)}`))

/**
 * Id of a sale at the provider: `<prefix>-<24 hex>`. It is derived from company and key, so a retry can never become a
 * second sale. Contract: 2.5.
 */
export const xidOf = (companyId: CompanyId, key: IdempotencyKey) => named(`${companyId}:${key}`)

/**
 * Id of a reversal at the provider. A key that was freed by a sale may later be used for a reversal, and the provider
 * must not confuse the two. The added line break makes the ids different, because no key contains one.
 */
export const reversalXidOf = (companyId: CompanyId, key: IdempotencyKey) => named(`${companyId}:${key}\nanular`)
