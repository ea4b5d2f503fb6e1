import { PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { type Question, Questions, type Replay, Replays } from "../../../core/ports/Histories.ts"
import { bestEffortClient, groupedBestEffort } from "../grouping/BestEffortWrites.ts"

const toQuestionRow = ({ about, answer, at, order: { companyId, transactionId } }: Question) => ({
  company_id: companyId,
  transaction_id: transactionId,
  about,
  answer,
  at: DateTime.formatIso(at)
})

const makeQuestions = Effect.map(bestEffortClient, (sql) =>
  Questions.of({
    // A question is a status query to the provider. Concurrent questions about one sale are rare. If two writers give two
    // questions the same number, `on conflict` drops one of them. A lateral join looks up each sale's latest answer
    // separately. A plain join could read all answers.
    record: groupedBestEffort<Question>(
      sql,
      "question",
      (questions) => sql`
        with latest as (
          select a.*, l.n, l.n is not null and l.about = a.about and l.answer = a.answer as same
          from jsonb_to_recordset(${PgTypes.jsonb(questions.map(toQuestionRow))}) as a(
            company_id bigint, transaction_id bigint, about text, answer text, at timestamptz
          )
          left join lateral (
            select q.n, q.about, q.answer
            from ${sql.cell}.question as q
            where q.company_id = a.company_id and q.transaction_id = a.transaction_id
            order by q.n desc
            limit 1
          ) as l on true
        ),
        again as (
          update ${sql.cell}.question as q
          set last_at = greatest(q.last_at, l.at), times = q.times + 1
          from latest as l
          where l.same and q.company_id = l.company_id and q.transaction_id = l.transaction_id and q.n = l.n
        )
        insert into ${sql.cell}.question (company_id, transaction_id, n, about, answer, first_at, last_at)
        select l.company_id, l.transaction_id, coalesce(l.n, 0) + 1, l.about, l.answer, l.at, l.at
        from latest as l
        where not l.same
        order by l.company_id, l.transaction_id
        on conflict do nothing`,
      ({ order: { transactionId } }) => ({ transactionId })
    )
  })
)

/** `Questions` in Postgres: the status queries about sales and reversals. A lost connection may count a question twice. */
export const questionsLayer = Layer.effect(Questions, makeQuestions)

const toReplayRow = ({ about, at, companyId, transactionId }: Replay) => ({
  company_id: companyId,
  transaction_id: transactionId,
  about,
  at: DateTime.formatIso(at)
})

const makeReplays = Effect.map(bestEffortClient, (sql) =>
  Replays.of({
    // Writes rows in order of their key, so that two groups cannot deadlock.
    record: groupedBestEffort<Replay>(
      sql,
      "replay",
      (replays) => sql`
        insert into ${sql.cell}.replay (company_id, transaction_id, about, times, first_at, last_at)
        select a.company_id, a.transaction_id, a.about, count(*), min(a.at), max(a.at)
        from jsonb_to_recordset(${PgTypes.jsonb(replays.map(toReplayRow))}) as a(
          company_id bigint, transaction_id bigint, about text, at timestamptz
        )
        group by a.company_id, a.transaction_id, a.about
        order by a.company_id, a.transaction_id, a.about
        on conflict (company_id, transaction_id, about) do update
        set times = replay.times + excluded.times, last_at = greatest(replay.last_at, excluded.last_at)`,
      ({ transactionId }) => ({ transactionId })
    )
  })
)

/** `Replays` in Postgres. A lost connection may count a replay twice. */
export const replaysLayer = Layer.effect(Replays, makeReplays)
