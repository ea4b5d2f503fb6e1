import { PgClient } from "@effect/sql-pg"
import { Cache, DateTime, Effect, Layer, Option, Schema } from "effect"
import { Company } from "../../core/domain/Company.ts"
import { Token } from "../../core/domain/Token.ts"
import { type Credentials, Directory } from "../../core/ports/Directory.ts"
import { cached_max, onAnnouncement } from "./Announced.ts"

/** Unknown keys are remembered too, so that guessing one costs what a wrong secret costs; so memory needs a bound. */
const cachedKeys_max = 20_000

interface CredentialsRow {
  readonly id: bigint
  readonly company_id: bigint
  readonly name: string
  readonly api_key: string
  readonly secret_hash: Uint8Array
  readonly permissions: ReadonlyArray<string>
  readonly addresses: ReadonlyArray<string>
  readonly expires_at: Date | null
  readonly state: string
  readonly calls_per_minute: number | null
  readonly real_lookups: boolean
  readonly legal_name: string
  readonly code: string
  readonly environment: string
  readonly company_state: string
  readonly api_enabled: boolean
  readonly insurance_enabled: boolean
}

const decodeToken = Schema.decodeUnknownSync(Schema.toType(Token))
const decodeCompany = Schema.decodeUnknownSync(Schema.toType(Company))

const credentialsOf = (row: CredentialsRow): Credentials => ({
  session: {
    token: decodeToken({
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
    }),
    company: decodeCompany({
      id: Number(row.company_id),
      legalName: row.legal_name,
      code: row.code,
      environment: row.environment,
      state: row.company_state,
      apiEnabled: row.api_enabled,
      insuranceEnabled: row.insurance_enabled
    })
  },
  secretHash: row.secret_hash
})

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const read = Effect.fnUntraced(function* (apiKey: string) {
    const [row] = yield* sql<CredentialsRow>`
      select
        t.id, t.company_id, t.name, t.api_key, t.secret_hash, t.permissions, t.addresses, t.expires_at, t.state,
        t.calls_per_minute, t.real_lookups,
        c.legal_name, c.code, c.environment, c.state as company_state, c.api_enabled, c.insurance_enabled
      from directory.token as t
      join directory.company as c on c.id = t.company_id
      where t.api_key = ${apiKey}`
    return Option.map(Option.fromUndefinedOr(row), credentialsOf)
  }, Effect.orDie)

  const known = yield* Cache.make({ lookup: read, capacity: cachedKeys_max, timeToLive: cached_max })
  yield* onAnnouncement("directory_changed", Cache.invalidateAll(known))

  return Directory.of({ lookup: (apiKey) => Cache.get(known, apiKey) })
})

/** The directory in Postgres, cached until it changes. */
export const layer = Layer.effect(Directory, make)
