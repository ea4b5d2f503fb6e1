import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type CompanyId, TokenId } from "../../../core/domain/Ids.ts"
import { TokenRevoked, UnknownToken } from "../../../core/domain/OperatorErrors.ts"
import { type StoredSecret, Token, type TokenState } from "../../../core/domain/Token.ts"
import {
  type ConfiguredToken,
  type NewToken,
  type RegisteredToken,
  type Rotated,
  Tokens
} from "../../../core/ports/Tokens.ts"
import { advisoryLocks, instant, instantOrNull, int8 } from "../connection/Sql.ts"

/** Number of tokens that are not revoked, by the way their secrets are stored. */
export interface PepperCounts {
  readonly plain: number
  readonly under: number
  /** Stored under a different pepper. These secrets cannot be verified. */
  readonly underAnother: number
}

const noTokens: PepperCounts = { plain: 0, under: 0, underAnother: 0 }

/** Counts tokens by the pepper of their secret. `name` identifies the configured pepper. Changes nothing. */
export const countPeppers = Effect.fnUntraced(function* (name: string | null) {
  const sql = yield* SqlClient.SqlClient
  const [known] = yield* sql<{ present: boolean }>`
    select exists (
      select from information_schema.columns
      where table_schema = 'directory' and table_name = 'token' and column_name = 'secret_pepper'
    ) as present`
  if (known?.present !== true) return noTokens
  const [row] = yield* sql<PepperCounts>`
    select
      (count(*) filter (where secret_pepper is null))::int as plain,
      (count(*) filter (where secret_pepper = ${name}))::int as under,
      (count(*) filter (where secret_pepper is not null and secret_pepper is distinct from ${name}))::int as "underAnother"
    from directory.token
    where state <> 'revoked'`
  return row ?? noTokens
})

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

const decodeToken = Schema.decodeUnknownSync(Schema.toType(Token))

export const tokenOf = (row: TokenRow): Token =>
  decodeToken({
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
const storedSecretOf = (hash: Uint8Array, pepper: string | null, until: DateTime.Utc | null): StoredSecret => ({
  hash: new Uint8Array(hash),
  pepper,
  until
})

const currentSecretOf = ({ secret_hash, secret_pepper }: SecretsRow): StoredSecret =>
  storedSecretOf(secret_hash, secret_pepper, null)

/** The token's current secret, then its previous one. */
export const secretsOf = (row: SecretsRow): ReadonlyArray<StoredSecret> => {
  const { previous_hash: hash, previous_pepper: pepper, previous_until: until } = row
  return hash === null || until === null
    ? [currentSecretOf(row)]
    : [currentSecretOf(row), storedSecretOf(hash, pepper, DateTime.fromDateUnsafe(until))]
}

interface RegisteredRow extends TokenRow {
  readonly used_at: Date | null
  readonly previous_until: Date | null
}

const registeredOf = (row: RegisteredRow): RegisteredToken => ({
  token: tokenOf(row),
  usedAt: instantOrNull(row.used_at),
  previousUntil: instantOrNull(row.previous_until)
})

const texts = (values: ReadonlyArray<string>) => Effect.fromResult(PgTypes.array(values, PgTypes.OID.text))

const replace = (sql: PgClient.PgClient, tokenId: TokenId, { previous, secret }: Rotated) => sql`
  update directory.token
  set secret_hash = ${secret.hash},
    secret_pepper = ${secret.pepper},
    previous_hash = ${previous?.hash ?? null}::bytea,
    previous_pepper = ${previous?.pepper ?? null},
    previous_until = ${instant(previous?.until ?? null)}
  where id = ${int8(tokenId)}`

// Writes the token again if its secret would be stored in a different form, for example under a new pepper.
const keepConfigured = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  { apiKey, companyId, name, secret }: ConfiguredToken,
  at: DateTime.Utc
) {
  yield* sql`select pg_advisory_xact_lock(${advisoryLocks.configuredTokens})`
  yield* sql`
    insert into directory.token as t (company_id, name, api_key, secret_hash, secret_pepper, created_at)
    values (${int8(companyId)}, ${name}, ${apiKey}, ${secret.hash}, ${secret.pepper}, ${instant(at)})
    on conflict (api_key) do update
    set secret_hash = excluded.secret_hash,
      secret_pepper = excluded.secret_pepper,
      previous_hash = null,
      previous_pepper = null,
      previous_until = null,
      state = 'active'
    where t.company_id = excluded.company_id
      and t.name = excluded.name
      and t.state <> 'revoked'
      and (t.secret_hash <> excluded.secret_hash or t.state <> 'active')`
  yield* sql`
    update directory.token
    set state = 'suspended'
    where company_id = ${int8(companyId)} and name = ${name} and state = 'active' and api_key <> ${apiKey}`
})

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal(
    "id, company_id, name, api_key, permissions, addresses, expires_at, state, calls_per_minute, real_lookups"
  )

  // The same columns, but with the state that the token had before an update.
  const before = sql.literal(
    "id, company_id, name, api_key, permissions, addresses, expires_at, old.state, calls_per_minute, real_lookups"
  )

  const add = Effect.fnUntraced(function* (token: NewToken, secret: StoredSecret, at: DateTime.Utc) {
    const [row] = yield* sql<{ id: bigint }>`
      insert into directory.token (
        company_id, name, api_key, secret_hash, secret_pepper, permissions, addresses, expires_at, calls_per_minute,
        real_lookups, created_at
      )
      values (
        ${int8(token.companyId)}, ${token.name}, ${token.apiKey}, ${secret.hash}, ${secret.pepper},
        ${yield* texts(token.permissions)}, ${yield* texts(token.addresses)},
        ${instant(token.expiresAt)}, ${PgTypes.int4(token.callsPerMinute)}, ${token.realLookups}, ${instant(at)}
      )
      returning id`
    return TokenId.make(Number(row?.id))
  }, Effect.orDie)

  // The statement itself checks the state, so that a concurrently revoked token stays revoked.
  const setState = Effect.fnUntraced(function* (tokenId: TokenId, state: TokenState) {
    const [changed] = yield* Effect.orDie(sql<TokenRow>`
      update directory.token
      set state = ${state}
      where id = ${int8(tokenId)} and (state <> 'revoked' or ${state} = 'revoked')
      returning ${before}`)
    if (changed !== undefined) return tokenOf(changed)
    const known = yield* Effect.orDie(sql`select 1 from directory.token where id = ${int8(tokenId)}`)
    return yield* known.length === 0 ? new UnknownToken({ tokenId }) : new TokenRevoked({ tokenId })
  })

  const rotate: Tokens["Service"]["rotate"] = Effect.fnUntraced(
    function* (tokenId, turn) {
      const [row] = yield* Effect.orDie(sql<TokenRow & SecretsRow>`
        select ${columns}, ${sql.literal(secretColumns)} from directory.token where id = ${int8(tokenId)} for update`)
      if (row === undefined) return yield* new UnknownToken({ tokenId })
      if (row.state === "revoked") return yield* new TokenRevoked({ tokenId })
      yield* Effect.orDie(replace(sql, tokenId, yield* turn(currentSecretOf(row))))
      return tokenOf(row)
    },
    sql.withTransaction,
    Effect.catchTag("SqlError", Effect.die)
  )

  const configure = (token: ConfiguredToken, at: DateTime.Utc) =>
    Effect.orDie(sql.withTransaction(keepConfigured(sql, token, at)))

  const suspendNamed = (companyId: CompanyId, name: string) =>
    Effect.orDie(
      Effect.asVoid(sql`
        update directory.token
        set state = 'suspended'
        where company_id = ${int8(companyId)} and name = ${name} and state = 'active'`)
    )

  const list = (companyId: CompanyId) =>
    sql<RegisteredRow>`
      select ${columns}, previous_until, used_at
      from directory.token
      left join directory.token_use on token_id = id
      where company_id = ${int8(companyId)}
      order by id`.pipe(
      Effect.map((rows) => rows.map(registeredOf)),
      Effect.orDie
    )

  return Tokens.of({ add, setState, rotate, configure, suspendNamed, list })
})

export const layer = Layer.effect(Tokens, make)
