import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { type CompanyId, TokenId } from "../../core/domain/Ids.ts"
import { TokenRevoked, UnknownToken } from "../../core/domain/OperatorErrors.ts"
import type { TokenState } from "../../core/domain/Token.ts"
import { type ConfiguredToken, type NewToken, Tokens } from "../../core/ports/Tokens.ts"
import { type TokenRow, tokenOf } from "./TokenRow.ts"

const id = (value: number) => PgTypes.int8(BigInt(value))
const texts = (values: ReadonlyArray<string>) => Effect.fromResult(PgTypes.array(values, PgTypes.OID.text))

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal(
    "id, company_id, name, api_key, permissions, addresses, expires_at, state, calls_per_minute, real_lookups"
  )

  const add = Effect.fnUntraced(function* (token: NewToken, secretHash: Uint8Array, at: DateTime.Utc) {
    const [row] = yield* sql<{ id: bigint }>`
      insert into directory.token (
        company_id, name, api_key, secret_hash, permissions, addresses, expires_at, calls_per_minute, real_lookups,
        created_at
      )
      values (
        ${id(token.companyId)}, ${token.name}, ${token.apiKey}, ${secretHash}, ${yield* texts(token.permissions)},
        ${yield* texts(token.addresses)},
        ${token.expiresAt === null ? null : DateTime.formatIso(token.expiresAt)}::timestamptz,
        ${PgTypes.int4(token.callsPerMinute)}, ${token.realLookups}, ${DateTime.formatIso(at)}::timestamptz
      )
      returning id`
    return TokenId.make(Number(row?.id))
  }, Effect.orDie)

  // The condition is part of the statement: a token that is revoked meanwhile stays revoked.
  const setState = Effect.fnUntraced(function* (tokenId: TokenId, state: TokenState) {
    const [changed] = yield* Effect.orDie(sql<TokenRow>`
      update directory.token
      set state = ${state}
      where id = ${id(tokenId)} and (state <> 'revoked' or ${state} = 'revoked')
      returning ${columns}`)
    if (changed !== undefined) return tokenOf(changed)
    const known = yield* Effect.orDie(sql`select 1 from directory.token where id = ${id(tokenId)}`)
    return yield* known.length === 0 ? new UnknownToken({ tokenId }) : new TokenRevoked({ tokenId })
  })

  const configure = Effect.fnUntraced(
    function* ({ apiKey, companyId, name, secretHash }: ConfiguredToken, at: DateTime.Utc) {
      // Two processes that were given different keys take turns here, or each would wait for the other's token.
      yield* sql`select 1 from directory.company where id = ${id(companyId)} for update`
      yield* sql`
        insert into directory.token as t (company_id, name, api_key, secret_hash, created_at)
        values (${id(companyId)}, ${name}, ${apiKey}, ${secretHash}, ${DateTime.formatIso(at)}::timestamptz)
        on conflict (api_key) do update
        set secret_hash = excluded.secret_hash,
          state = 'active'
        where t.company_id = excluded.company_id
          and t.name = excluded.name
          and t.state <> 'revoked'
          and (t.secret_hash <> excluded.secret_hash or t.state <> 'active')`
      yield* sql`
        update directory.token
        set state = 'suspended'
        where company_id = ${id(companyId)} and name = ${name} and state = 'active' and api_key <> ${apiKey}`
    },
    sql.withTransaction,
    Effect.orDie
  )

  const suspendNamed = (companyId: CompanyId, name: string) =>
    Effect.orDie(
      Effect.asVoid(sql`
        update directory.token
        set state = 'suspended'
        where company_id = ${id(companyId)} and name = ${name} and state = 'active'`)
    )

  const list = (companyId: CompanyId) =>
    sql<TokenRow>`select ${columns} from directory.token where company_id = ${id(companyId)} order by id`.pipe(
      Effect.map((rows) => rows.map(tokenOf)),
      Effect.orDie
    )

  return Tokens.of({ add, setState, configure, suspendNamed, list })
})

/** The register of credentials in Postgres. */
export const layer = Layer.effect(Tokens, make)
