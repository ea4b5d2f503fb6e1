import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Option } from "effect"
import { attemptWindow, failedAttempts_max, secondsBlocked, session_max } from "../../../core/domain/OperatorAccount.ts"
import { type Invitation, OperatorSessions, type StoredSession } from "../../../core/ports/OperatorSessions.ts"
import type { OperatorCredentials } from "../../../core/ports/Operators.ts"
import { advisoryLocks, instant, int8 } from "../connection/Sql.ts"
import { accountOf, type OperatorRow, operatorColumns } from "./OperatorsPostgres.ts"

/**
 * An invitation or a session, joined with its operator. The columns of the operator are null if no account has it, but a
 * person with access to the server's shell.
 */
type OfOperator<Row> = Row & (OperatorRow | { readonly id: null })

interface InvitationRow {
  readonly expires_at: Date
  readonly chosen_hash: string | null
  readonly chosen_secret: Uint8Array | null
}

interface SessionRow {
  readonly via: StoredSession["via"]
  readonly began_at: Date
  readonly used_at: Date
  readonly reauthenticated_at: Date
}

const operatorOf = (row: OfOperator<object>) => (row.id === null ? null : accountOf(row))

const chosenOf = ({ chosen_hash, chosen_secret }: InvitationRow): OperatorCredentials | null =>
  chosen_hash === null || chosen_secret === null
    ? null
    : { passwordHash: chosen_hash, totpSecret: new Uint8Array(chosen_secret) }

const invitations = (sql: PgClient.PgClient) =>
  ({
    invite: Effect.fnUntraced(function* (operatorId, token, expiresAt) {
      yield* sql`
        delete from directory.operator_invitation where operator_id is not distinct from ${int8(operatorId)}`
      yield* sql`
        insert into directory.operator_invitation (token_hash, operator_id, expires_at)
        values (${token}, ${int8(operatorId)}, ${instant(expiresAt)})`
    }, Effect.orDie),
    invitation: Effect.fnUntraced(function* (token) {
      const [row] = yield* sql<OfOperator<InvitationRow>>`
        select
          ${sql.literal(operatorColumns)}, i.expires_at, i.password_hash as chosen_hash, i.totp_secret as chosen_secret
        from directory.operator_invitation as i
        left join directory.operator as o on o.id = i.operator_id
        where i.token_hash = ${token}`
      return Option.map(
        Option.fromUndefinedOr(row),
        (row): Invitation => ({
          operator: operatorOf(row),
          expiresAt: DateTime.fromDateUnsafe(row.expires_at),
          chosen: chosenOf(row)
        })
      )
    }, Effect.orDie),
    choose: Effect.fnUntraced(function* (token, { passwordHash, totpSecret }) {
      yield* sql`
        update directory.operator_invitation
        set password_hash = ${passwordHash}, totp_secret = ${totpSecret}
        where token_hash = ${token}`
    }, Effect.orDie),
    useInvitation: Effect.fnUntraced(function* (token) {
      const used = yield* sql`delete from directory.operator_invitation where token_hash = ${token} returning 1`
      return used.length > 0
    }, Effect.orDie)
  }) satisfies Partial<OperatorSessions["Service"]>

const sessions = (sql: PgClient.PgClient) =>
  ({
    begin: Effect.fnUntraced(function* (token, { address, operatorId, via }, at) {
      const since = DateTime.subtractDuration(at, session_max)
      yield* sql`delete from directory.operator_session where created_at <= ${instant(since)}`
      yield* sql`
        insert into directory.operator_session (
          token_hash, operator_id, via, address, created_at, used_at, reauthenticated_at
        )
        values (
          ${token}, ${int8(operatorId)}, ${via}, ${address}, ${instant(at)}, ${instant(at)}, ${instant(at)}
        )`
    }, Effect.orDie),
    find: Effect.fnUntraced(function* (token) {
      const [row] = yield* sql<OfOperator<SessionRow>>`
        select ${sql.literal(operatorColumns)}, s.via, s.created_at as began_at, s.used_at, s.reauthenticated_at
        from directory.operator_session as s
        left join directory.operator as o on o.id = s.operator_id
        where s.token_hash = ${token}`
      return Option.map(
        Option.fromUndefinedOr(row),
        (row): StoredSession => ({
          operator: operatorOf(row),
          via: row.via,
          createdAt: DateTime.fromDateUnsafe(row.began_at),
          usedAt: DateTime.fromDateUnsafe(row.used_at),
          reauthenticatedAt: DateTime.fromDateUnsafe(row.reauthenticated_at)
        })
      )
    }, Effect.orDie),
    touch: Effect.fnUntraced(function* (token, at) {
      yield* sql`update directory.operator_session set used_at = ${instant(at)} where token_hash = ${token}`
    }, Effect.orDie),
    reauthenticated: Effect.fnUntraced(function* (token, at) {
      yield* sql`
        update directory.operator_session
        set used_at = ${instant(at)}, reauthenticated_at = ${instant(at)}
        where token_hash = ${token}`
    }, Effect.orDie),
    end: Effect.fnUntraced(function* (token) {
      yield* sql`delete from directory.operator_session where token_hash = ${token}`
    }, Effect.orDie),
    endAll: Effect.fnUntraced(function* (operatorId) {
      yield* sql`delete from directory.operator_session where operator_id = ${int8(operatorId)}`
      yield* sql`delete from directory.operator_invitation where operator_id = ${int8(operatorId)}`
    }, Effect.orDie)
  }) satisfies Partial<OperatorSessions["Service"]>

const attempts = (sql: PgClient.PgClient) =>
  ({
    attempt: Effect.fnUntraced(
      function* ({ account, address }, at) {
        yield* sql`select pg_advisory_xact_lock(${advisoryLocks.signInAttempts})`
        const since = instant(DateTime.subtractDuration(at, attemptWindow))
        yield* sql`delete from directory.sign_in_attempt where at <= ${since}`
        const latest = (column: "account" | "address", value: string, failed_max: number) =>
          Effect.map(
            sql<{ at: Date }>`
              select at
              from directory.sign_in_attempt
              where ${sql.literal(column)} = ${value}
              order by at desc
              limit ${failed_max}`,
            (rows) =>
              secondsBlocked(
                rows.map((row) => DateTime.fromDateUnsafe(row.at)),
                failed_max,
                at
              )
          )
        const ofAccount = yield* latest("account", account, failedAttempts_max.account)
        const ofAddress = yield* latest("address", address, failedAttempts_max.address)
        if (ofAccount !== null || ofAddress !== null) return Math.max(ofAccount ?? 0, ofAddress ?? 0)
        yield* sql`
          insert into directory.sign_in_attempt (account, address, at) values (${account}, ${address}, ${instant(at)})`
        return null
      },
      sql.withTransaction,
      Effect.orDie
    ),
    succeeded: Effect.fnUntraced(function* ({ account }) {
      yield* sql`delete from directory.sign_in_attempt where account = ${account}`
    }, Effect.orDie)
  }) satisfies Partial<OperatorSessions["Service"]>

export const layer = Layer.effect(
  OperatorSessions,
  PgClient.PgClient.useSync((sql) => OperatorSessions.of({ ...invitations(sql), ...sessions(sql), ...attempts(sql) }))
)
