import { PgClient, PgTypes } from "@effect/sql-pg"
import { type DateTime, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { OperatorId } from "../../../core/domain/Operator.ts"
import { OperatorAccount } from "../../../core/domain/OperatorAccount.ts"
import { LastAdmin, OperatorEmailTaken, OperatorNameTaken } from "../../../core/domain/SignInErrors.ts"
import { canonicalText } from "../../../core/domain/Text.ts"
import { type NewOperator, Operators } from "../../../core/ports/Operators.ts"
import { advisoryLocks, instant, instantOrNull, int8, violatesUnique } from "../connection/Sql.ts"

/** A row of directory.operator, without its credentials. */
export interface OperatorRow {
  readonly id: bigint
  readonly name: string
  readonly email: string | null
  readonly role: string
  readonly state: string
  readonly has_token: boolean
  readonly created_at: Date
  readonly signed_in_at: Date | null
}

/** The columns of an `OperatorRow`, of the table named o. */
export const operatorColumns = `
  o.id, o.name, o.email, o.role, o.token_hash is not null as has_token, o.created_at, o.signed_in_at,
  case
    when o.suspended then 'suspended'
    when o.password_hash is null and o.oidc_subject is null then 'invited'
    else 'active'
  end as state`

const decode = Schema.decodeUnknownSync(Schema.toType(OperatorAccount))

export const accountOf = (row: OperatorRow): OperatorAccount =>
  decode({
    id: Number(row.id),
    name: row.name,
    email: row.email,
    role: row.role,
    state: row.state,
    hasToken: row.has_token,
    createdAt: instantOrNull(row.created_at),
    signedInAt: instantOrNull(row.signed_in_at)
  })

// The same expression as in the unique index of names.
const folded = (text: string) => `upper(lower(${text} collate "pg_unicode_fast"))`

const isActiveAdmin = `
  role = 'admin' and not suspended and (password_hash is not null or oidc_subject is not null)`

const taken =
  ({ email, name }: NewOperator) =>
  (error: SqlError): Effect.Effect<never, OperatorEmailTaken | OperatorNameTaken> => {
    if (violatesUnique(error, "operator_name")) return Effect.fail(new OperatorNameTaken({ name }))
    if (violatesUnique(error, "operator_email")) return Effect.fail(new OperatorEmailTaken({ email: email ?? "" }))
    return Effect.die(error)
  }

/** Searches for accounts. */
const finding = (sql: PgClient.PgClient) => {
  const columns = sql.literal(operatorColumns)
  const first = (rows: Effect.Effect<ReadonlyArray<OperatorRow>, SqlError>) =>
    Effect.orDie(Effect.map(rows, ([row]) => Option.map(Option.fromUndefinedOr(row), accountOf)))
  return {
    list: Effect.orDie(
      Effect.map(sql<OperatorRow>`select ${columns} from directory.operator as o order by o.id`, (rows) =>
        rows.map(accountOf)
      )
    ),
    find: (name: string) =>
      first(sql<OperatorRow>`
        select ${columns}
        from directory.operator as o
        where ${sql.literal(folded("o.name"))} = upper(lower(${canonicalText(name)}::text collate "pg_unicode_fast"))`),
    findByToken: (hash: Uint8Array) =>
      first(sql<OperatorRow>`select ${columns} from directory.operator as o where o.token_hash = ${hash}`),
    findByIdentity: ({ issuer, subject }: { readonly issuer: string; readonly subject: string }) =>
      first(sql<OperatorRow>`
        select ${columns}
        from directory.operator as o
        where o.oidc_issuer = ${issuer} and o.oidc_subject = ${subject}`),
    findByEmail: (email: string) =>
      first(sql<OperatorRow>`
        select ${columns}
        from directory.operator as o
        where lower(o.email collate "pg_unicode_fast") = lower(${email}::text collate "pg_unicode_fast")
          and o.oidc_subject is null`)
  }
}

/** Changes of credentials. */
const credentials = (sql: PgClient.PgClient) =>
  ({
    credentials: Effect.fnUntraced(function* (id: OperatorId) {
      const [row] = yield* sql<{ password_hash: string; totp_secret: Uint8Array }>`
      select password_hash, totp_secret
      from directory.operator
      where id = ${int8(id)} and password_hash is not null`
      if (row === undefined) return Option.none()
      // Copies the bytes, because the driver's array is a view of the whole network buffer.
      return Option.some({ passwordHash: row.password_hash, totpSecret: new Uint8Array(row.totp_secret) })
    }, Effect.orDie),
    setCredentials: (id, { passwordHash, totpSecret }) =>
      Effect.asVoid(
        Effect.orDie(sql`
          update directory.operator
          set password_hash = ${passwordHash}, totp_secret = ${totpSecret}, totp_step = null
          where id = ${int8(id)}`)
      ),
    useStep: (id, step) =>
      Effect.orDie(
        Effect.map(
          sql`
          update directory.operator
          set totp_step = ${int8(step)}
          where id = ${int8(id)} and coalesce(totp_step < ${int8(step)}, true)
          returning 1`,
          (rows) => rows.length > 0
        )
      ),
    link: (id, { issuer, subject }) =>
      Effect.orDie(
        Effect.map(
          sql`
          update directory.operator
          set oidc_issuer = ${issuer}, oidc_subject = ${subject}
          where id = ${int8(id)} and oidc_subject is null
          returning 1`,
          (rows) => rows.length > 0
        )
      ),
    setToken: (id, hash) =>
      Effect.asVoid(
        Effect.orDie(sql`update directory.operator set token_hash = ${hash}::bytea where id = ${int8(id)}`)
      ),
    signedIn: (id, at) =>
      Effect.asVoid(
        Effect.orDie(sql`update directory.operator set signed_in_at = ${instant(at)} where id = ${int8(id)}`)
      )
  }) satisfies Partial<Operators["Service"]>

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const hasAdmin = Effect.orDie(
    Effect.map(
      sql`select 1 from directory.operator where ${sql.literal(isActiveAdmin)} limit 1`,
      (rows) => rows.length > 0
    )
  )

  const add = (operator: NewOperator, at: DateTime.Utc) =>
    sql<{ id: bigint }>`
      insert into directory.operator (name, email, role, created_at)
      values (${operator.name}, ${operator.email}, ${operator.role}, ${instant(at)})
      returning id`.pipe(
      Effect.catch(taken(operator)),
      Effect.map(([row]) => OperatorId.make(Number(row?.id)))
    )

  /** Changes an account, unless no active admin would remain. Concurrent changes run one after the other. */
  const keepingAdmin = Effect.fnUntraced(
    function* ({ name }: OperatorAccount, change: Effect.Effect<unknown, SqlError>) {
      yield* sql`select pg_advisory_xact_lock(${advisoryLocks.operatorRoles})`
      const hadAdmin = yield* hasAdmin
      yield* change
      if (hadAdmin && !(yield* hasAdmin)) return yield* new LastAdmin({ name })
    },
    sql.withTransaction,
    Effect.catchTag("SqlError", Effect.die)
  )

  const change: Operators["Service"]["change"] = (account, { isSuspended, role }) =>
    keepingAdmin(
      account,
      sql`
        update directory.operator
        set role = coalesce(${role ?? null}, role),
          suspended = coalesce(${PgTypes.bool(isSuspended ?? null)}, suspended)
        where id = ${int8(account.id)}`
    )

  const removeCredentials: Operators["Service"]["removeCredentials"] = (account) =>
    keepingAdmin(
      account,
      sql`
        update directory.operator
        set password_hash = null, totp_secret = null, totp_step = null, oidc_issuer = null, oidc_subject = null,
          token_hash = null
        where id = ${int8(account.id)}`
    )

  return Operators.of({ ...finding(sql), ...credentials(sql), hasAdmin, add, change, removeCredentials })
})

export const layer = Layer.effect(Operators, make)
