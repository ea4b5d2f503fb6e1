import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { PhoneLimited } from "../../../core/domain/InsuranceErrors.ts"
import {
  messageCountedFor,
  messagesCounted,
  phoneLimitReached,
  phoneLimits,
  phoneMaterial
} from "../../../core/domain/PhoneLimits.ts"
import type { StagedSms } from "../../../core/ports/Outbox.ts"
import { Vault } from "../../../core/ports/Vault.ts"
import { DirectoryClient, directoryClient } from "../connection/Cell.ts"
import { instant } from "../connection/Sql.ts"

/**
 * How many expired rows of phones each message deletes. A message adds at most one row, so expired rows do not accumulate.
 */
const forgotten_max = 2

/** The parts of a statement that count a message to a phone, and the error if a limit forbids the message. */
export const phoneQuota = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const directory = yield* directoryClient
  const isElsewhere = (yield* DirectoryClient) !== null
  const vault = yield* Vault

  const macOf = ({ message }: StagedSms) => vault.mac(phoneMaterial(message.to))

  /**
   * Clauses of a `with` statement that has the clause `owner`. They count the message if `owner` is in production and the
   * limits allow it.
   *
   * The update locks the phone's row and then checks its newest version. Of two concurrent messages, the second
   * therefore counts the first. The clause `forgotten` deletes expired rows of other phones.
   */
  const counting = Effect.fnUntraced(function* (sms: StagedSms) {
    const phone = yield* macOf(sms)
    const before = (length: typeof messageCountedFor) => instant(DateTime.subtractDuration(sms.at, length))
    const roomy = phoneLimits.map(
      ({ length, messages_max }) => sql`coalesce(q.queued_at[${messages_max}] <= ${before(length)}, true)`
    )
    return sql`
      quota as (
        insert into directory.phone_quota as q (phone, queued_at)
        select ${phone}, array[${instant(sms.at)}]
        from owner
        where environment = 'production'
        on conflict (phone) do update
        set queued_at = (excluded.queued_at || q.queued_at)[:${messagesCounted}]
        where ${sql.and(roomy)}
        returning q.phone
      ),
      forgotten as (
        delete from directory.phone_quota
        where phone in (
          select phone
          from directory.phone_quota
          where queued_at[1] <= ${before(messageCountedFor)} and phone <> ${phone}
          order by queued_at[1]
          limit ${forgotten_max}
          for update skip locked
        )
      )`
  })

  const grantedIf = (quota: Fragment) => sql`
    granted as (
      select o.company_id, o.id, o.environment from owner as o where o.environment <> 'production' or ${quota}
    )`

  // The message stays counted if the cell then refuses it. Counting too many messages is safer than too few.
  const countedElsewhere = Effect.fnUntraced(function* (sms: StagedSms, owner: Fragment) {
    const [row] = yield* sql<{ environment: string }>`select o.environment from (${owner}) as o`
    if (row?.environment !== "production") return false
    const counted = yield* directory`
      with owner as (select 'production' as environment), ${yield* counting(sms)} select from quota`
    return counted.length > 0
  }, Effect.orDie)

  /**
   * The clauses `owner` and `granted` of a `with` statement, and clauses that count the message. `granted` repeats the row
   * of `owner` if the message may be queued. The phones of a cell on another node are counted before the statement.
   *
   * @param owner a query that returns the insurance that would get the message, or no row.
   */
  const granting = Effect.fnUntraced(function* (sms: StagedSms, owner: Fragment) {
    const named = sql`owner as materialized (${owner})`
    if (!isElsewhere) return sql`${named}, ${yield* counting(sms)}, ${grantedIf(sql`exists (select from quota)`)}`
    return sql`${named}, ${grantedIf(sql`${yield* countedElsewhere(sms, owner)}`)}`
  })

  /** The limit that forbade a message. */
  const refusal = Effect.fnUntraced(function* (sms: StagedSms) {
    const rows = yield* directory<{ at: Date }>`
      select l.at
      from directory.phone_quota as q
      cross join unnest(q.queued_at) with ordinality as l(at, n)
      where q.phone = ${yield* macOf(sms)}
      order by l.n`
    const queued = rows.map(({ at }) => DateTime.fromDateUnsafe(at))
    return phoneLimitReached(queued, sms.at) ?? (yield* Effect.die(new Error("no limit forbids the message")))
  }, Effect.orDie)

  return {
    granting,
    refuse: (sms: StagedSms): Effect.Effect<never, PhoneLimited> => Effect.flatMap(refusal(sms), Effect.fail)
  }
})
