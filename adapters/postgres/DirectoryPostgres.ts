import { PgClient } from "@effect/sql-pg"
import { Cache, Effect, Layer, Option } from "effect"
import { type Credentials, Directory } from "../../core/ports/Directory.ts"
import { cached_max, onAnnouncement } from "./Announced.ts"
import { type CompanyRow, companyOf } from "./CompanyRow.ts"
import { type TokenRow, tokenOf } from "./TokenRow.ts"

/** Unknown keys are remembered too, so that guessing one costs what a wrong secret costs; so memory needs a bound. */
const cachedKeys_max = 20_000

interface CredentialsRow extends TokenRow, Omit<CompanyRow, "id" | "state"> {
  readonly company_state: string
  readonly secret_hash: Uint8Array
}

const credentialsOf = (row: CredentialsRow): Credentials => ({
  session: { token: tokenOf(row), company: companyOf({ ...row, id: row.company_id, state: row.company_state }) },
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
