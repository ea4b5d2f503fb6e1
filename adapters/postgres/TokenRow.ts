import { DateTime, Schema } from "effect"
import { Token } from "../../core/domain/Token.ts"

/** A row of directory.token, without its secret. */
export interface TokenRow {
  readonly id: bigint
  readonly company_id: bigint
  readonly name: string
  readonly api_key: string
  readonly permissions: ReadonlyArray<string>
  readonly addresses: ReadonlyArray<string>
  readonly expires_at: Date | null
  readonly state: string
  readonly calls_per_minute: number | null
  readonly real_lookups: boolean
}

const decode = Schema.decodeUnknownSync(Schema.toType(Token))

export const tokenOf = (row: TokenRow): Token =>
  decode({
    id: Number(row.id),
    companyId: Number(row.company_id),
    name: row.name,
    apiKey: row.api_key,
    permissions: row.permissions,
    addresses: row.addresses,
    expiresAt: row.expires_at === null ? null : DateTime.fromDateUnsafe(row.expires_at),
    state: row.state,
    callsPerMinute: row.calls_per_minute,
    realLookups: row.real_lookups
  })
