import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Duration, Effect, Layer, Option } from "effect"
import type { TokenId } from "../../../core/domain/Ids.ts"
import { type Credentials, TokenDirectory, type TokenUse } from "../../../core/ports/TokenDirectory.ts"
import { DirectoryChanges } from "../connection/DirectoryChanges.ts"
import { int8 } from "../connection/Sql.ts"
import { makeTtlCache } from "../connection/TtlCache.ts"
import { bestEffortClient, groupedBestEffort } from "../grouping/BestEffortWrites.ts"
import { grouped } from "../grouping/Grouped.ts"
import { type CompanyRow, companyOf } from "./CompaniesPostgres.ts"
import { type SecretsRow, secretColumns, secretsOf, type TokenRow, tokenOf } from "./TokensPostgres.ts"

/** Limit of cached keys. Unknown keys are cached too, so that an unknown key is refused as fast as a wrong secret. */
const cachedKeys_max = 20_000

/** Minimum interval between two writes of a token's last use. */
const written_every = Duration.minutes(1)
const written_every_ms = Duration.toMillis(written_every)

interface CredentialsRow extends TokenRow, SecretsRow, Omit<CompanyRow, "id" | "state"> {
  readonly company_state: string
  readonly closed: boolean
}

const credentialsOf = (row: CredentialsRow): Credentials => ({
  session: {
    token: tokenOf(row),
    company: companyOf({ ...row, id: row.company_id, state: row.company_state }),
    isClosed: row.closed
  },
  secrets: secretsOf(row)
})

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  // With many tokens, cache misses never stop. `offset 0` makes the planner look up each token separately. Otherwise the
  // planner expects a hundred keys in each group and scans the whole table.
  const read = grouped<string, Option.Option<Credentials>>(sql, "credentials", (apiKeys) =>
    Effect.map(
      sql<CredentialsRow>`
        select found.*
        from jsonb_array_elements_text(${PgTypes.jsonb([...new Set(apiKeys)])}) as wanted(api_key)
        cross join lateral (
          select
            t.id, t.company_id, t.name, t.api_key, t.permissions, t.addresses, t.expires_at, t.state, t.calls_per_minute,
            t.real_lookups, ${sql.literal(secretColumns)},
            c.legal_name, c.rnc, c.code, c.environment, c.state as company_state, c.api_enabled, c.insurance_enabled,
            c.cell,
            l.state = 'closed' or exists (select from directory.company_move as m where m.company_id = c.id) as closed
          from directory.token as t
          join directory.company as c on c.id = t.company_id
          join directory.cell as l on l.name = c.cell
          where t.api_key = wanted.api_key
          offset 0
        ) as found`,
      (rows) => {
        const found = new Map(rows.map((row) => [row.api_key, credentialsOf(row)]))
        return apiKeys.map((apiKey) => Option.fromUndefinedOr(found.get(apiKey)))
      }
    )
  )

  const known = makeTtlCache(read, cachedKeys_max)
  const changes = yield* DirectoryChanges
  yield* changes.invalidate(known.forget)

  return TokenDirectory.of({ lookup: known.get, used: yield* recordingUses })
})

const recordingUses = Effect.gen(function* () {
  const sql = yield* bestEffortClient
  const scope = yield* Effect.scope
  const writtenAt_ms = new Map<TokenId, number>()

  // Skips tokens that another replica wrote within the last minute. Writes rows in order of id, so that two replicas
  // cannot deadlock.
  const write = groupedBestEffort<TokenUse>(
    sql,
    "token_use",
    (uses) => sql`
        insert into directory.token_use as u (token_id, used_at)
        select token_id, max(used_at)
        from jsonb_to_recordset(${PgTypes.jsonb(uses.map(useRow))}) as n(token_id bigint, used_at timestamptz)
        group by token_id
        order by token_id
        on conflict (token_id) do update set used_at = excluded.used_at
        where u.used_at <= excluded.used_at - ${Duration.toSeconds(written_every)} * interval '1 second'`,
    ({ tokenId }) => ({ tokenId })
  )

  // Replaces the hash of the secret wherever it is stored now. A concurrent rotation may have made this secret the
  // previous secret, or may have removed it.
  const keepBetter = ({ secret: { better, known }, tokenId }: TokenUse) => sql`
    update directory.token
    set secret_hash = case when secret_hash = ${known.hash} then ${better.hash} else secret_hash end,
      secret_pepper = case when secret_hash = ${known.hash} then ${better.pepper} else secret_pepper end,
      previous_hash = case when previous_hash = ${known.hash} then ${better.hash} else previous_hash end,
      previous_pepper = case when previous_hash = ${known.hash} then ${better.pepper} else previous_pepper end
    where id = ${int8(tokenId)}
      and (secret_hash = ${known.hash} or previous_hash = ${known.hash})`

  const putUnderPepper = (use: TokenUse) =>
    use.secret.better === use.secret.known
      ? Effect.void
      : Effect.catchCause(keepBetter(use), (cause) =>
          Effect.logWarning("a token's secret could not be stored under TOKEN_PEPPER", { tokenId: use.tokenId }, cause)
        )

  const note = (use: TokenUse) => Effect.andThen(putUnderPepper(use), write(use))

  return (use: TokenUse): Effect.Effect<void> =>
    Effect.suspend(() => {
      const at_ms = DateTime.toEpochMillis(use.at)
      const last_ms = writtenAt_ms.get(use.tokenId)
      if (last_ms !== undefined && at_ms - last_ms < written_every_ms) return Effect.void
      writtenAt_ms.set(use.tokenId, at_ms)
      return Effect.asVoid(Effect.forkIn(note(use), scope))
    })
})

const useRow = ({ at, tokenId }: TokenUse) => ({ token_id: tokenId, used_at: DateTime.formatIso(at) })

/** `TokenDirectory` in Postgres, cached until it changes. */
export const layer = Layer.provide(Layer.effect(TokenDirectory, make), DirectoryChanges.layer)
