import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as PepperNode from "../../../adapters/crypto/PepperNode.ts"
import { mayActAsReader } from "../../../adapters/postgres/connection/CompanyReads.ts"
import { countPeppers } from "../../../adapters/postgres/directory/TokensPostgres.ts"
import { Pepper } from "../../../core/ports/Pepper.ts"
import { DatabaseServer } from "../../settings/DatabaseServer.ts"
import { Settings } from "../../settings/Settings.ts"
import { failed, isolated, passed, warned } from "./Check.ts"

// Without TOKEN_PEPPER everything works, so its absence is only a warning.
const tokenSecrets = Effect.gen(function* () {
  const { tokenPepper } = yield* Settings
  const { name } = yield* Effect.provide(Pepper, PepperNode.layer(tokenPepper))
  const { plain, under, underAnother } = yield* countPeppers(name)
  const check = "token secrets"
  if (underAnother > 0) {
    const state = name === null ? "not set" : "not the earlier one"
    const advice = "set it to its earlier value, or give each token a new secret with saldo token rotate"
    return failed(check, `TOKEN_PEPPER is ${state}, so calls of ${underAnother} tokens are refused: ${advice}`)
  }
  if (name === null) {
    return warned(
      check,
      "stored as SHA-256; with TOKEN_PEPPER, a copy of the database could not be used to verify guessed secrets"
    )
  }
  const later = plain === 0 ? "" : `; ${plain} more will follow at their next use`
  return passed(check, `${under} stored under TOKEN_PEPPER${later}`)
})

// Finds the ledgers of all cells through Postgres's system catalogue, which every role may read. Finding the tables by
// name would fail for a role without rights to the schemas.
const loginRights = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ login: string; may: boolean | null; uses: boolean | null }>`
    select
      current_user::text as login,
      bool_or(has_table_privilege(entry.oid, 'UPDATE, DELETE, TRUNCATE')) as may,
      bool_and(has_table_privilege(entry.oid, 'SELECT')) as uses
    from pg_class as entry
    join pg_class as file on file.relnamespace = entry.relnamespace and file.relname = 'schema_file'
    where entry.relname = 'entry' and entry.relkind = 'r'`
  return row ?? { login: "", may: null, uses: null }
})

// A single login that owns everything is the default of a new installation, so it is only a warning.
const role = Effect.gen(function* () {
  const { ours } = yield* DatabaseServer
  if (ours) return passed("role", "one login; the server and commands switch to roles with fewer rights")
  const { login, may, uses } = yield* loginRights
  if (may === null) return passed("role", `${login}; there are no tables yet`)
  if (may) return warned("role", `${login} can change the tables and the ledger: give the server a separate login`)
  return uses === true
    ? passed("role", `${login} owns no tables and cannot change the ledger`)
    : failed("role", `${login} may not use the tables: grant it saldo_server, or saldo_operator`)
})

// A separate login of the server must be able to switch to the reader role. For a login that owns the tables, a missing
// right is only a warning.
const companyReads = Effect.gen(function* () {
  const check = "companies"
  const { login, may } = yield* loginRights
  if (may === null) return passed(check, "there are no tables yet")
  if (yield* mayActAsReader)
    return passed(check, "reads of one company run as saldo_reader, which sees no other company's rows")
  const said = `${login} may not switch to saldo_reader, so row-level security does not limit reads to one company`
  return (may ? warned : failed)(check, `${said}: grant saldo_reader to ${login}`)
})

/** Checks of the database login's rights and of the tokens' secrets. */
export const accessChecks = Effect.all([
  isolated("token secrets", tokenSecrets),
  isolated("role", role),
  isolated("companies", companyReads)
])
