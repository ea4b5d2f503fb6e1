import { PgClient, PgTypes } from "@effect/sql-pg"
import { type DateTime, Effect, Layer } from "effect"
import { type CompanyId, TokenId } from "../../core/domain/Ids.ts"
import { TokenRevoked, UnknownToken } from "../../core/domain/OperatorErrors.ts"
import type { KeptSecret } from "../../core/domain/Secret.ts"
import type { TokenState } from "../../core/domain/Token.ts"
import {
  type ConfiguredToken,
  type NewToken,
  type RegisteredToken,
  type Rotated,
  Tokens
} from "../../core/ports/Tokens.ts"
import { advisoryLocks } from "./AdvisoryLocks.ts"
import { instantOrNull } from "./Columns.ts"
import { instant, int8 } from "./Parameters.ts"
import { type SecretsRow, secretColumns, secretOf, type TokenRow, tokenOf } from "./TokenRow.ts"

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

  const add = Effect.fnUntraced(function* (token: NewToken, secret: KeptSecret, at: DateTime.Utc) {
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
      returning ${columns}`)
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
      yield* Effect.orDie(replace(sql, tokenId, yield* turn(secretOf(row))))
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

/** `Tokens` in Postgres. */
export const layer = Layer.effect(Tokens, make)
