import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { type Question, Questions } from "../../core/ports/Questions.ts"

const int8 = (value: number) => PgTypes.int8(BigInt(value))

const make = Effect.map(PgClient.PgClient, (sql) => ({
  // Whoever asks about a sale has its lease, so nobody else writes here; one that lost it meanwhile is not kept.
  record: ({ about, answer, at, order: { companyId, transactionId } }: Question) => {
    const instant = sql`${DateTime.formatIso(at)}::timestamptz`
    return sql`
      with latest as (
        select n, about, answer
        from cell.question
        where company_id = ${int8(companyId)} and transaction_id = ${int8(transactionId)}
        order by n desc
        limit 1
      ),
      again as (
        update cell.question as q
        set last_at = greatest(q.last_at, ${instant}), times = q.times + 1
        from latest
        where q.company_id = ${int8(companyId)}
          and q.transaction_id = ${int8(transactionId)}
          and q.n = latest.n
          and latest.about = ${about}
          and latest.answer = ${answer}
        returning 1
      )
      insert into cell.question (company_id, transaction_id, n, about, answer, first_at, last_at)
      select
        ${int8(companyId)}, ${int8(transactionId)}, coalesce((select n from latest), 0) + 1, ${about}, ${answer},
        ${instant}, ${instant}
      where not exists (select 1 from again)
      on conflict do nothing`.pipe(
      Effect.asVoid,
      // A history with a gap is no reason not to settle.
      Effect.catchCause((cause) => Effect.logWarning("a question was not noted", { transactionId }, cause))
    )
  }
}))

/** What recovery asked, in Postgres. */
export const layer = Layer.effect(Questions, make)
