import { DateTime, Schema } from "effect"
import type { KeptSecret } from "../../core/domain/Secret.ts"
import { Token } from "../../core/domain/Token.ts"
import { instantOrNull } from "./Columns.ts"

/** A row of directory.token, without its secrets. */
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
    expiresAt: instantOrNull(row.expires_at),
    state: row.state,
    callsPerMinute: row.calls_per_minute,
    realLookups: row.real_lookups
  })

/** The secrets of a row of directory.token. */
export interface SecretsRow {
  readonly secret_hash: Uint8Array
  readonly secret_pepper: string | null
  readonly previous_hash: Uint8Array | null
  readonly previous_pepper: string | null
  readonly previous_until: Date | null
}

export const secretColumns = "secret_hash, secret_pepper, previous_hash, previous_pepper, previous_until"

// Copies the bytes. The driver's array is a view of the whole network buffer, which would stay in memory with it.
const keptOf = (hash: Uint8Array, pepper: string | null, until: DateTime.Utc | null): KeptSecret => ({
  hash: new Uint8Array(hash),
  pepper,
  until
})

export const secretOf = ({ secret_hash, secret_pepper }: SecretsRow): KeptSecret =>
  keptOf(secret_hash, secret_pepper, null)

/** The token's current secret, then its previous one. */
export const secretsOf = (row: SecretsRow): ReadonlyArray<KeptSecret> => {
  const { previous_hash: hash, previous_pepper: pepper, previous_until: until } = row
  return hash === null || until === null
    ? [secretOf(row)]
    : [secretOf(row), keptOf(hash, pepper, DateTime.fromDateUnsafe(until))]
}
